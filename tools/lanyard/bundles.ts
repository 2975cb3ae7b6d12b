/**
 * Bundles each service with its packages into one file, `apps/<app>/bundle/main.js`. Node loads it faster than 2,600 modules,
 * and it takes less memory (ADR 32).
 */
import { globSync, mkdirSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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

const bundleOf = async (app: App) => {
  const file = entryPoint(app);
  const build = await rolldown({
    cwd: root,
    input: join(root, 'apps', app, 'dist/main.js'),
    platform: 'node',
    external: [new RegExp(`^${notBundled}(/|$)`)],
    plugins: [ownModules(dirname(file))],
    onLog(_level, { code, id, message }) {
      // Packages look for optional ones when they need them.
      const isOptional = code === 'UNRESOLVED_IMPORT' && id?.includes(packages);
      if (!isOptional) throw new Error(`${app}: ${message}`);
    },
  });
  const { output } = await build.generate({
    entryFileNames: basename(file),
    format: 'esm',
    codeSplitting: false,
    sourcemap: 'hidden',
    sourcemapExcludeSources: true,
    // Nest and the errors of the API use the names of classes.
    keepNames: true,
    // V8 keeps the text of a file in half of the memory if it has ASCII characters only.
    charset: 'ascii',
    comments: false,
  });
  await build.close();
  const [{ code, map }] = output;
  if (!map) throw new Error(`${app}: no source map`);
  return {
    code: `${code}//# sourceMappingURL=${basename(file)}.map\n`,
    map: JSON.stringify({ ...map, mappings: ownMappings(code, map.mappings) }),
  };
};

/**
 * A process that starts meanwhile, and one that comes after an interrupt, find the previous file or the new one, but no part.
 * The file is as old as the begin of its bundling: code that another command compiles meanwhile is newer.
 */
const replace = (file: string, text: string, begunAt: Date) => {
  const written = `${file}.${process.pid}`;
  writeFileSync(written, text);
  utimesSync(written, begunAt, begunAt);
  renameSync(written, file);
};

const bundle = async (app: App) => {
  const begunAt = new Date();
  const { code, map } = await bundleOf(app);
  const file = entryPoint(app);
  mkdirSync(dirname(file), { recursive: true });
  replace(`${file}.map`, map, begunAt);
  replace(file, code, begunAt);
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
