/** The last stages of the Dockerfile on what this checkout has built, instead of a build in a container: for tests. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from '../lanyard/install.ts';
import { runProgram } from '../lanyard/programs.ts';
import { dataFolder, root } from '../lanyard/project.ts';

/** @param dockerfile of which everything from the stage `runtime` on takes files from the stage `build` */
export const lastStages = (dockerfile: string) => {
  const from = dockerfile.indexOf('FROM ${RUNTIME_IMAGE} AS runtime');
  if (from < 0) throw new Error('the Dockerfile has no stage "runtime"');
  const stages = dockerfile
    .slice(from)
    .replaceAll(/^COPY .*$/gm, (line) => line.replace('--from=build ', '').replaceAll(' /out/', ' '));
  return `ARG RUNTIME_IMAGE\n${stages}`;
};

/** A folder to build in, with a Dockerfile of its own. */
export const assembled = async () => {
  const folder = join(dataFolder(), 'images');
  await build();
  mkdirSync(folder, { recursive: true });
  await runProgram(process.execPath, ['deploy/image/assemble.mjs', folder]);
  writeFileSync(join(folder, 'Dockerfile'), lastStages(readFileSync(join(root, 'Dockerfile'), 'utf8')));
  return folder;
};
