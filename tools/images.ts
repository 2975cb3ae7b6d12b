/**
 * `npm run images [-- OPTIONS]`: builds the targets of the Dockerfile with docker, podman or buildah, as `lanyard-<service>:dev`,
 * and prints their sizes. Without an image registry, it uses base images made here (tools/images/base-images.ts).
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { imageOf } from './cluster/service-images.ts';
import { assembled } from './images/assembled.ts';
import { canPull, isolation, namedBases, standIns } from './images/base-images.ts';
import { ensureInfrastructureImages } from './images/infrastructure.ts';
import { type Builder, builders, chooseBuilder, sizeOf } from './images/programs.ts';
import { command } from './lanyard/command-line.ts';
import { outputOf, runProgram } from './lanyard/programs.ts';
import { root, say, Stop } from './lanyard/project.ts';
import { apps } from './lanyard/service-processes.ts';

const usage = `npm run images -- [--service ${apps[0]}]... [--tool ${builders.join('|')}] [--base auto|named|stand-in] [--tag dev] [--assembled] [--infrastructure] [--json]
  --base: auto builds on the images that the Dockerfile names if they can be fetched, and on stand-ins otherwise
  --assembled: of the packages that are installed here and what they build, which takes a minute; not for a release
  --infrastructure: also those of Kafka, PostgreSQL and Redis, fetched or as stand-ins`;

const options = {
  service: { type: 'string', multiple: true, default: [] as string[] },
  tool: { type: 'string' },
  base: { type: 'string', default: 'auto' },
  tag: { type: 'string', default: 'dev' },
  assembled: { type: 'boolean', default: false },
  infrastructure: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Every service, and the demonstration device. */
const targets = [...apps, 'device'];

const chosen = (names: string[]) => {
  const unknown = names.find((name) => !targets.includes(name));
  if (unknown) throw new Stop(`--service takes ${targets.join(', ')}, not "${unknown}"`);
  return names.length > 0 ? names : targets;
};

/** Mounts the npm cache of this machine, so that packages are not fetched again. */
const packageCache = (builder: Builder) => {
  const cache = builder === 'docker' ? '' : outputOf('npm', ['config', 'get', 'cache']).trim();
  return existsSync(cache) ? ['--volume', `${cache}:/root/.npm`] : [];
};

await command({ usage, options, printsResult: true }, async ({ values }) => {
  const names = chosen(values.service);
  if (!['auto', 'named', 'stand-in'].includes(values.base))
    throw new Stop(`--base takes auto, named or stand-in, not "${values.base}"`);
  const builder = chooseBuilder(values.tool);
  const named = values.base === 'named' || (values.base === 'auto' && canPull(builder));
  const bases = named ? namedBases() : await standIns(builder);
  say(`${builder}, on ${bases.NODE_IMAGE} and ${bases.RUNTIME_IMAGE}`);
  if (values.infrastructure) await ensureInfrastructureImages(builder);
  const cache = packageCache(builder);
  const context = values.assembled ? await assembled() : root;
  for (const name of names) {
    const started = Date.now();
    await runProgram(builder, [
      'build',
      ...isolation(builder),
      ...(builder === 'docker' ? [] : ['--layers', ...cache]),
      ...Object.entries(bases).flatMap(([argument, image]) => ['--build-arg', `${argument}=${image}`]),
      ...['--file', join(context, 'Dockerfile'), '--target', name, '--tag', imageOf(name, values.tag), context],
    ]);
    say(`${imageOf(name, values.tag)} in ${Math.round((Date.now() - started) / 1000)} s`);
  }
  const sizes = [bases.RUNTIME_IMAGE, ...names.map((name) => imageOf(name, values.tag))].map((image) => ({
    image,
    megabytes: Math.round(sizeOf(builder, image) / 1e6),
  }));
  if (values.json) process.stdout.write(`${JSON.stringify(sizes, null, 2)}\n`);
  else for (const { image, megabytes } of sizes) process.stdout.write(`${`${megabytes} MB`.padStart(7)}  ${image}\n`);
});
