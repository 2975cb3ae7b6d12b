/** Loads TypeScript in tests: compiled by SWC, with decorators, once for each content. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Options, transformSync } from '@swc/core';

const options: Options = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: true,
};

const cacheFolder = fileURLToPath(new URL('../../node_modules/.cache/lanyard-tests/', import.meta.url));
const globalsUrl = new URL('globals.ts', import.meta.url).href;

/** Where the source map of each loaded file is, by its URL: for the stacks of failures. */
export const sourceMaps = new Map<string, string>();

/** Two workers may write the same file, but readers always see a complete one. */
const writeWhole = (path: string, text: string): void => {
  const own = `${path}.${process.pid}`;
  writeFileSync(own, text);
  renameSync(own, path);
};

const compiled = (url: string): string => {
  const path = fileURLToPath(url);
  const source = readFileSync(path, 'utf8');
  const key = createHash('sha256').update(JSON.stringify(options)).update(path).update(source).digest('hex');
  const file = join(cacheFolder, `${key}.js`);
  sourceMaps.set(url, `${file}.map`);
  if (existsSync(file)) return readFileSync(file, 'utf8');
  const { code, map } = transformSync(source, { ...options, filename: path });
  mkdirSync(cacheFolder, { recursive: true });
  writeWhole(`${file}.map`, map ?? '');
  writeWhole(file, code);
  return code;
};

const isOurs = (url: string | undefined): url is string =>
  url?.startsWith('file:') === true && url.endsWith('.ts') && !url.includes('/node_modules/');

registerHooks({
  resolve: (specifier, context, next) => {
    if (specifier === '@jest/globals') return { url: globalsUrl, format: 'module', shortCircuit: true };
    if (specifier.startsWith('.') && specifier.endsWith('.js') && isOurs(context.parentURL)) {
      const url = new URL(specifier.replace(/js$/, 'ts'), context.parentURL);
      if (existsSync(url)) return { url: url.href, format: 'module', shortCircuit: true };
    }
    return next(specifier, { ...context, conditions: [...context.conditions, '@lanyard/source'] });
  },
  load: (url, context, next) =>
    isOurs(url) ? { format: 'module', source: compiled(url), shortCircuit: true } : next(url, context),
});
