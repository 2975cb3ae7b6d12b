/** Builds the last stages of the Dockerfile from this checkout's build, instead of building in a container: for tests. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../lanyard/install.ts';
import { runProgram } from '../lanyard/programs.ts';
import { dataFolder, root } from '../lanyard/project.ts';

/** @param dockerfile in which the stage `runtime` and all stages after it take files from the stage `build` */
export const lastStages = (dockerfile: string) => {
  const from = dockerfile.indexOf('FROM ${RUNTIME_IMAGE} AS runtime');
  if (from < 0) throw new Error('the Dockerfile has no stage "runtime"');
  const stages = dockerfile
    .slice(from)
    .replaceAll(/^COPY .*$/gm, (line) => line.replace('--from=build ', '').replaceAll(' /out/', ' '));
  return `ARG RUNTIME_IMAGE\n${stages}`;
};

/** A folder to build in, with its own Dockerfile. */
export const assembled = async () => {
  const folder = join(dataFolder(), 'images');
  await build();
  mkdirSync(folder, { recursive: true });
  await runProgram(process.execPath, ['deploy/image/assemble.mjs', folder]);
  writeFileSync(join(folder, 'Dockerfile'), lastStages(readFileSync(join(root, 'Dockerfile'), 'utf8')));
  return folder;
};
