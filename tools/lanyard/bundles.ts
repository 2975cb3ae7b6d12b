/**
 * Bundles each service with its packages into one file, `apps/<app>/bundle/main.js`. Node loads it faster than 2,600 modules,
 * and it takes less memory (ADR 32).
 */
import { globSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';
import { root, say } from './project.ts';
import { type App, apps, entryPoint } from './service-processes.ts';

/** `libs/kafka` replaces modules of it in the cache of `require` (ADR 12): every service needs it beside its bundle. */
export const notBundled = 'kafkajs';

/** Packages whose files a service reads at run time, and that its bundle does not have: the page `/docs` is Swagger UI. */
export const readAtRunTime: Partial<Record<App, string[]>> = { gateway: ['swagger-ui-dist'] };

const packages = `${sep}node_modules${sep}`;

/**
 * Lets modules find their files where they would find them without a bundle, and keeps the source maps of the compiler. The
 * bundle has no source map for packages: a service with `--enable-source-maps` would hold it in memory.
 */
const ownModules = (folder: string): Plugin => ({
  name: 'own-modules',
  load(id) {
    if (!id.startsWith(root) || id.includes(packages) || !id.endsWith('.js')) return null;
    const url = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url).href`;
    const code = readFileSync(id, 'utf8').replaceAll('import.meta.url', url);
    return { code, map: readFileSync(`${id}.map`, 'utf8') };
  },
  transform(code, id) {
    return id.includes(packages) ? { code, map: { mappings: '' } } : null;
  },
});

/** The comment with which the modules of packages begin in a bundle. */
const packageModule = /^\/\/ (\S+\/)?node_modules\//;

/**
 * The mappings of a source map that ends with each module of our own. For a position that has no mapping, Node takes the one
 * before it, however far away: the functions of packages would have the names and lines of our files in stack traces.
 */
export const ownMappings = (code: string, mappings: string): string => {
  const lines = mappings.split(';');
  for (const [n, line] of code.split('\n').entries()) {
    // The first column of the line, which is in no source.
    if (packageModule.test(line) && !lines[n]) lines[n] = 'A';
  }
  return lines.join(';');
};

/**
 * A process that starts meanwhile, and one that comes after an interrupt, find the previous bundle or the new one, but no part.
 * The bundle is as old as its begin: code that another command compiles meanwhile is newer.
 */
const bundle = async (app: App) => {
  const begunAt = new Date();
  const file = entryPoint(app);
  const folder = dirname(file);
  const name = `new-${process.pid}.js`;
  const build = await rolldown({
    cwd: root,
    input: join(root, 'apps', app, 'dist/main.js'),
    platform: 'node',
    external: [new RegExp(`^${notBundled}(/|$)`)],
    plugins: [ownModules(folder)],
    onLog(_level, { code, id, message }) {
      // Packages look for optional ones when they need them.
      const isOptional = code === 'UNRESOLVED_IMPORT' && id?.includes(packages);
      if (!isOptional) throw new Error(`${app}: ${message}`);
    },
  });
  await build.write({
    dir: folder,
    entryFileNames: name,
    format: 'esm',
    codeSplitting: false,
    sourcemap: true,
    sourcemapExcludeSources: true,
    // Nest and the errors of the API use the names of classes.
    keepNames: true,
    // V8 keeps the text of a file in half of the memory if it has ASCII characters only.
    charset: 'ascii',
    comments: false,
  });
  await build.close();
  const own = join(folder, name);
  const [code, map] = [own, `${own}.map`].map((path) => readFileSync(path, 'utf8')) as [string, string];
  writeFileSync(own, code.replace(`sourceMappingURL=${name}`, `sourceMappingURL=${basename(file)}`));
  const parsed = JSON.parse(map) as { mappings: string };
  const mappings = ownMappings(code, parsed.mappings);
  writeFileSync(`${own}.map`, JSON.stringify({ ...parsed, file: basename(file), mappings }));
  utimesSync(own, begunAt, begunAt);
  renameSync(`${own}.map`, `${file}.map`);
  renameSync(own, file);
};

const changedMs = (file: string): number => statSync(join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Bundles the services whose code, packages or libraries have changed since their last bundle. */
export const bundleServices = async () => {
  // The compiler writes this file when it has written any other.
  const libraries = globSync('libs/*/dist/tsconfig.tsbuildinfo', { cwd: root });
  for (const app of apps) {
    const sources = [
      `apps/${app}/dist/tsconfig.tsbuildinfo`,
      ...libraries,
      'package-lock.json',
      'tools/lanyard/bundles.ts',
    ];
    const bundledMs = changedMs(relative(root, entryPoint(app)));
    if (sources.every((source) => changedMs(source) < bundledMs)) continue;
    say(`bundling ${app}`);
    await bundle(app);
  }
};
