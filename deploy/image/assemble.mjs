/**
 * Lays out what goes into the images, after the build and `npm prune --omit=dev`: `common` for all of them, and one folder
 * for each service. Only what runs is copied: no sources, no types, no tests.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readlinkSync, writeFileSync } from 'node:fs';
import { dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const out = process.argv[2];
if (!out) throw new Error('usage: node deploy/image/assemble.mjs <folder>');

/** Served by the gateway, or read at run time. */
const kept = new Set([
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
/** Demonstration and test code: in the image of the device only. */
const testing = 'libs/testing';

/** @param {string} path */
const runs = (path) => lstatSync(path).isDirectory() || (kept.has(extname(path)) && !/\.d\.[cm]?ts/.test(path));

/** @param {string} workspace @param {string} target */
const copyBuilt = (workspace, target) => {
  const from = join(root, workspace);
  mkdirSync(join(target, workspace), { recursive: true });
  cpSync(join(from, 'package.json'), join(target, workspace, 'package.json'));
  cpSync(join(from, 'dist'), join(target, workspace, 'dist'), { recursive: true, filter: runs });
  // The dispatcher reads its scripts for Redis where they were written.
  for (const script of readdirSync(join(from, 'src'), { recursive: true, encoding: 'utf8' }))
    if (script.endsWith('.lua')) cpSync(join(from, 'src', script), join(target, workspace, 'src', script));
};

/** @param {string} kind */
const workspaces = (kind) =>
  readdirSync(join(root, kind))
    .map((name) => `${kind}/${name}`)
    .filter((workspace) => existsSync(join(root, workspace, 'dist')));

/** Packages, without links to workspaces that are not in the image. @param {string} target */
const copyPackages = (target) => {
  cpSync(join(root, 'node_modules'), join(target, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => {
      if (!lstatSync(path).isSymbolicLink()) return !/\/(\.cache|\.package-lock\.json)$/.test(path) && runs(path);
      const place = resolve(dirname(path), readlinkSync(path));
      return place.startsWith(join(root, 'libs/')) || place.startsWith(join(root, 'node_modules/'));
    },
  });
};

const common = join(out, 'common');
mkdirSync(common, { recursive: true });
cpSync(join(root, 'deploy/image/healthcheck.mjs'), join(common, 'healthcheck.mjs'));
writeFileSync(join(common, 'package.json'), '{ "private": true, "type": "module" }\n');
copyPackages(common);
for (const lib of workspaces('libs')) if (lib !== testing) copyBuilt(lib, common);
for (const app of workspaces('apps')) copyBuilt(app, join(out, app.slice('apps/'.length)));
copyBuilt(testing, join(out, 'device'));
mkdirSync(join(out, 'run'), { recursive: true });
