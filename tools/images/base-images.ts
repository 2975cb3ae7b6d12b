/**
 * The base images of the Dockerfile: the real ones if a registry can be reached, otherwise stand-ins made of
 * Debian's packages and the Node version that this project pins.
 */
import { cpSync, linkSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../cluster/plan.ts';
import { madeOnce } from '../lanyard/made-once.ts';
import { outputOf, runProgram, succeeds } from '../lanyard/programs.ts';
import { root, say, Stop } from '../lanyard/project.ts';
import { type Builder, ensurePrograms, hasImage } from './programs.ts';

const suite = 'bookworm';
/** The packages of gcr.io/distroless/cc-debian12. */
const runtimePackages = 'base-files,ca-certificates,libc6,libgcc-s1,libssl3,libstdc++6,netbase,tzdata';

export interface BaseImages {
  NODE_IMAGE: string;
  RUNTIME_IMAGE: string;
}

/** Shared with later clones: apart from the Node version, the images depend on nothing in this one. */
const imagesFolder = () => join(cacheFolder(), 'images');

const nodePackage = () => join(root, `node_modules/node-linux-${process.arch}`);

export const namedBases = (): BaseImages => {
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const of = (name: string) => new RegExp(`^ARG ${name}=(\\S+)$`, 'm').exec(dockerfile)?.[1] ?? '';
  return { NODE_IMAGE: of('NODE_IMAGE'), RUNTIME_IMAGE: of('RUNTIME_IMAGE') };
};

/** Fetches an image. Returns whether a registry provided it. */
export const pulls = (builder: Builder, image: string): boolean =>
  succeeds(builder, ['pull', '--quiet', image], 600_000);

/** Whether the images of the Dockerfile are here or can be fetched. */
export const canPull = (builder: Builder): boolean =>
  Object.values(namedBases()).every((image: string) => {
    const full = image.includes('/') ? image : `docker.io/library/${image}`;
    return hasImage(builder, full) || pulls(builder, full);
  });

/** A root file system as a tar file, kept in the cache. */
const debian = (name: string, parts: string[], args: string[]) =>
  madeOnce(join(imagesFolder(), `${name}-`), [suite, ...parts, ...args], async (folder) => {
    if (process.getuid?.() !== 0) throw new Stop('Stand-ins for base images are made as root: sudo npm run images');
    ensurePrograms({ mmdebstrap: 'mmdebstrap' });
    say(`making ${name} of Debian's packages (minutes, once)`);
    await runProgram('mmdebstrap', ['--quiet', ...args, suite, join(folder, 'root.tar')]);
  });

/** Uses Debian's own certificates, extracted but not configured, because those of this machine may include a proxy's. */
const runtimeRoot = () =>
  debian(
    'runtime',
    [runtimePackages],
    [
      '--variant=extract',
      `--include=${runtimePackages}`,
      '--customize-hook=cat "$1"/usr/share/ca-certificates/mozilla/*.crt > "$1"/etc/ssl/certs/ca-certificates.crt',
      '--customize-hook=rm -rf "$1"/usr/share/doc "$1"/usr/share/man "$1"/usr/share/locale "$1"/var/lib/apt "$1"/var/cache "$1"/usr/share/zoneinfo/right',
      '--customize-hook=printf "nonroot:x:65532:65532:nonroot:/:/sbin/nologin\\n" >> "$1"/etc/passwd',
    ],
  );

/** @param packages besides the essential ones */
export const smallDebian = (name: string, packages: string) =>
  debian(
    name,
    [],
    [
      '--variant=minbase',
      ...(packages === '' ? [] : [`--include=${packages}`]),
      '--customize-hook=rm -rf "$1"/var/lib/apt/lists "$1"/var/cache/apt',
    ],
  );

const buildRoot = () => smallDebian('build', '');

/** The folder of the npm that runs. `npm root --global` would name the folder of this node, which comes from a package without npm. */
export const npmFolder = () =>
  dirname(dirname(realpathSync(outputOf('npm', ['exec', '--call', 'printenv npm_execpath']).trim())));

/** Builds one image of a few files. */
export const buildOf = async (
  builder: Builder,
  image: string,
  containerfile: string,
  fill: (folder: string) => void,
) => {
  const folder = join(imagesFolder(), `context-${process.pid}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  try {
    fill(folder);
    writeFileSync(join(folder, 'Dockerfile'), containerfile);
    await runProgram(builder, ['build', ...isolation(builder), '--tag', image, folder]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const buildOnce = async (builder: Builder, image: string, ...content: [string, (folder: string) => void]) => {
  if (!hasImage(builder, image)) await buildOf(builder, image, ...content);
  return image;
};

/** Builds without namespaces, which a container may not create, and with the machine's network, which reaches the package registry. */
export const isolation = (builder: Builder) =>
  builder === 'docker'
    ? ['--network', 'host']
    : ['--format', 'docker', '--isolation', 'chroot', '--network', 'host', '--pull=never'];

export const standIns = async (builder: Builder): Promise<BaseImages> => {
  const { version } = JSON.parse(readFileSync(join(nodePackage(), 'package.json'), 'utf8')) as { version: string };
  const [runtime, build] = await Promise.all([runtimeRoot(), buildRoot()]);
  const tagOf = (folder: string) => folder.split('-').at(-1) as string;
  return {
    RUNTIME_IMAGE: await buildOnce(
      builder,
      `localhost/lanyard-stand-in/runtime:${tagOf(runtime)}`,
      'FROM scratch\nADD root.tar /\nUSER 65532:65532\n',
      (folder) => linkSync(join(runtime, 'root.tar'), join(folder, 'root.tar')),
    ),
    NODE_IMAGE: await buildOnce(
      builder,
      `localhost/lanyard-stand-in/node:${version}-${tagOf(build)}`,
      [
        'FROM scratch',
        'ADD root.tar /',
        'COPY node /usr/local/bin/node',
        'COPY npm /usr/local/lib/node_modules/npm',
        'COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt',
        'RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm',
        'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt NPM_CONFIG_CAFILE=/etc/ssl/certs/ca-certificates.crt',
        '',
      ].join('\n'),
      (folder) => {
        linkSync(join(build, 'root.tar'), join(folder, 'root.tar'));
        cpSync(join(nodePackage(), 'bin/node'), join(folder, 'node'));
        cpSync(npmFolder(), join(folder, 'npm'), { recursive: true });
        cpSync('/etc/ssl/certs/ca-certificates.crt', join(folder, 'ca-certificates.crt'));
      },
    ),
  };
};
