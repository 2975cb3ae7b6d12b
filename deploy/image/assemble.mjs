/**
 * Lays out what goes into the images, after the build: `common` for all of them, and one folder for each target. A service has
 * its bundle, its scripts for Redis, and the manifests and licences of the packages in its bundle, which scanners look for. Only
 * what runs is copied: no sources, types, documents or tests. All files get the same time, so that the same content makes the
 * same layer.
 */
import {
  cpSync,
  globSync,
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
import { notBundled, readAtRunTime } from '../../tools/lanyard/bundles.ts';
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
const forBrowsers = /^node_modules\/(rxjs\/dist\/(bundles|esm|esm5)|swagger-ui-dist\/.*es-bundle.*)$/;

/**
 * Whether a path is copied: a folder, or a file with one of these extensions that is not a declaration of types.
 * @param {string} path @param {Set<string>} extensions
 */
const isKept = (path, extensions) =>
  lstatSync(path).isDirectory() || (extensions.has(extname(path)) && !/\.d\.[cm]?ts/.test(path));

/** @param {string} workspace @param {string} target */
const copyBuilt = (workspace, target) => {
  cpSync(join(root, workspace, 'dist'), join(target, workspace, 'dist'), {
    recursive: true,
    filter: (path) => isKept(path, keptExtensions),
  });
  cpSync(join(root, workspace, 'package.json'), join(target, workspace, 'package.json'));
};

/** @param {string} app @param {string} target */
const copyBundle = (app, target) => {
  // Nothing else in the folder: an interrupted command may have left parts there.
  for (const name of ['main.js', 'main.js.map'])
    cpSync(join(root, 'apps', app, 'bundle', name), join(target, 'apps', app, 'bundle', name));
  // A service reads its scripts for Redis where it would read them without a bundle.
  for (const script of globSync(`apps/${app}/{dist,src}/**/*.lua`, { cwd: root }))
    cpSync(join(root, script), join(target, script));
};

/** @param {string} path */
const isLicence = (path) => /^(licen[cs]e|notice)\b/i.test(basename(path));

/**
 * What says which package this is, and under which licence: some packages say it in their README only.
 * @param {string} folder @param {string} target
 */
const copyManifest = (folder, target) => {
  const names = readdirSync(folder);
  const licences = names.filter(isLicence);
  for (const name of [
    'package.json',
    ...(licences.length > 0 ? licences : names.filter((each) => /^readme\b/i.test(each))),
  ])
    cpSync(join(folder, name), join(target, relative(root, folder), name), { recursive: true });
};

/** Packages inside it are left out: they are copied themselves. @param {string} folder @param {string} target */
const copyPackage = (folder, target) =>
  cpSync(folder, join(target, relative(root, folder)), {
    recursive: true,
    filter: (path) =>
      path === folder ||
      (basename(path) !== 'node_modules' &&
        !forBrowsers.test(relative(root, path)) &&
        (isKept(path, keptOfPackages) || isLicence(path))),
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

const common = join(out, 'common');
rmSync(out, { recursive: true, force: true });
mkdirSync(common, { recursive: true });
cpSync(join(root, 'deploy/image/healthcheck.mjs'), join(common, 'healthcheck.mjs'));
writeFileSync(join(common, 'package.json'), '{ "private": true, "type": "module" }\n');
copyPackage(join(root, 'node_modules', notBundled), common);
for (const app of apps) {
  const folder = join(out, app);
  copyBundle(app, folder);
  for (const needed of neededBy(root, `apps/${app}`).packages) copyManifest(needed, folder);
  for (const name of readAtRunTime[app] ?? []) copyPackage(join(root, 'node_modules', name), folder);
}
const device = { workspace: 'libs/testing', folder: join(out, 'device') };
const { libs, packages } = neededBy(root, device.workspace);
copyBuilt(device.workspace, device.folder);
for (const lib of libs) copyLibrary(lib, device.folder);
for (const needed of packages) copyPackage(needed, device.folder);
copyBuilt('apps/console', join(out, 'console'));
mkdirSync(join(out, 'run'), { recursive: true });
copyStripped(process.execPath, join(out, 'node'));
setTimes(out);
