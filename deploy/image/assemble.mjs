/**
 * Lays out what goes into the images, after the build: `common` with the packages that every service needs, and one folder
 * for each target with its code, its libraries and the rest of its packages. Only what runs is copied: no sources, types,
 * documents or tests. All files get the same time, so that the same content makes the same layer.
 */
import {
  cpSync,
  lstatSync,
  lutimesSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { apps } from '../../tools/lanyard/service-processes.ts';
import { neededBy } from './packages.ts';
import { copyStripped } from './strip.ts';

const root = realpathSync(fileURLToPath(new URL('../..', import.meta.url)));
const [, , out] = process.argv;
if (!out) throw new Error('usage: node deploy/image/assemble.mjs <folder>');

/** Extensions of the files that are served by the gateway, or read at run time. */
const keptExtensions = new Set([
  '.js',
  '.cjs',
  '.mjs',
  '.json',
  '.lua',
  '.map',
  '.html',
  '.css',
  '.png',
  '.node',
  '.wasm',
  '.svg',
  '.br',
  '.gz',
  '',
]);

/** Source maps of packages are left out: stack traces need only those of our own code. */
const keptOfPackages = new Set([...keptExtensions].filter((extension) => extension !== '.map'));

/** The largest of what packages bring for browsers and bundlers, which Node does not load. */
const forBrowsers =
  /^node_modules\/(typeorm\/browser|rxjs\/dist\/(bundles|esm|esm5)|swagger-ui-dist\/.*es-bundle.*|@(aws-sdk|smithy)\/[^/]+\/dist-es)$/;

/**
 * Whether a path is copied: a folder, or a file with one of these extensions that is not a declaration of types.
 * @param {string} path @param {Set<string>} extensions
 */
const isKept = (path, extensions) =>
  lstatSync(path).isDirectory() || (extensions.has(extname(path)) && !/\.d\.[cm]?ts/.test(path));

/** @param {string} workspace @param {string} target */
const copyBuilt = (workspace, target) => {
  const from = join(root, workspace);
  mkdirSync(join(target, workspace), { recursive: true });
  cpSync(join(from, 'package.json'), join(target, workspace, 'package.json'));
  cpSync(join(from, 'dist'), join(target, workspace, 'dist'), {
    recursive: true,
    filter: (path) => isKept(path, keptExtensions),
  });
  // The dispatcher reads its scripts for Redis where they were written.
  for (const script of readdirSync(join(from, 'src'), { recursive: true, encoding: 'utf8' }))
    if (script.endsWith('.lua')) cpSync(join(from, 'src', script), join(target, workspace, 'src', script));
};

/** Packages inside it are left out: they are copied themselves. @param {string} folder @param {string} target */
const copyPackage = (folder, target) =>
  cpSync(folder, join(target, relative(root, folder)), {
    recursive: true,
    filter: (path) =>
      path === folder ||
      (basename(path) !== 'node_modules' &&
        !forBrowsers.test(relative(root, path)) &&
        (isKept(path, keptOfPackages) || /^(licen[cs]e|notice)\b/i.test(basename(path)))),
  });

/** A library is found by its name. @param {string} lib @param {string} target */
const copyLibrary = (lib, target) => {
  copyBuilt(lib, target);
  const link = join(target, 'node_modules/@lanyard', basename(lib));
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(`../../${lib}`, link);
};

/** @param {string} path */
const setTimes = (path) => {
  if (lstatSync(path).isDirectory()) for (const name of readdirSync(path)) setTimes(join(path, name));
  lutimesSync(path, 0, 0);
};

const workspaces = new Map([...apps.map((app) => [app, `apps/${app}`]), ['device', 'libs/testing']]);
const needs = new Map([...workspaces].map(([target, workspace]) => [target, neededBy(root, workspace)]));
const ofServices = apps.map((app) => needs.get(app)?.packages ?? new Set());
const shared = ofServices.reduce((some, more) => some.intersection(more));

const common = join(out, 'common');
rmSync(out, { recursive: true, force: true });
mkdirSync(common, { recursive: true });
cpSync(join(root, 'deploy/image/healthcheck.mjs'), join(common, 'healthcheck.mjs'));
writeFileSync(join(common, 'package.json'), '{ "private": true, "type": "module" }\n');
for (const folder of shared) copyPackage(folder, common);
for (const [target, { libs, packages }] of needs) {
  const folder = join(out, target);
  copyBuilt(workspaces.get(target) ?? '', folder);
  for (const lib of libs) copyLibrary(lib, folder);
  for (const own of packages.difference(shared)) copyPackage(own, folder);
}
copyBuilt('apps/console', join(out, 'console'));
mkdirSync(join(out, 'run'), { recursive: true });
copyStripped(process.execPath, join(out, 'node'));
setTimes(out);
