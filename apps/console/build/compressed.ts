/** After a build: compressed copies of all assets, and the check that the first page is small enough. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Limit of what a browser loads before the first page is usable, with gzip. */
const firstPageMaxBytes = 300_000;

/** The page that `/console` shows. */
const firstPage = 'src/fleet/fleet-page.tsx';

interface Chunk {
  file: string;
  imports?: string[];
  css?: string[];
}

/** Files that a chunk needs before it runs, its own included. */
const filesOf = (manifest: Record<string, Chunk>, name: string, seen = new Set<string>()): Set<string> => {
  const chunk = manifest[name];
  if (!chunk) throw new Error(`The build has no ${name}.`);
  if (seen.has(chunk.file)) return seen;
  for (const file of [chunk.file, ...(chunk.css ?? [])]) seen.add(file);
  for (const inner of chunk.imports ?? []) filesOf(manifest, inner, seen);
  return seen;
};

const writeCopies = (path: string): void => {
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(`${path}.br`, brotliCompressSync(bytes));
};

export const compressed = (): Plugin => ({
  name: 'lanyard-compressed',
  apply: 'build',
  writeBundle({ dir = '' }) {
    const assets = readdirSync(join(dir, 'assets')).filter((name) => ['.js', '.css', '.svg'].includes(extname(name)));
    for (const name of assets) writeCopies(join(dir, 'assets', name));
    const manifest = JSON.parse(readFileSync(join(dir, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>;
    const files = filesOf(manifest, firstPage, filesOf(manifest, 'index.html'));
    const bytes = [...files].reduce((sum, file) => sum + readFileSync(join(dir, `${file}.gz`)).length, 0);
    this.info(`The first page is ${(bytes / 1_000).toFixed(0)} kB with gzip, in ${files.size} files.`);
    if (bytes > firstPageMaxBytes)
      this.error(
        `The first page is ${bytes} bytes with gzip, more than ${firstPageMaxBytes}: ${[...files].join(', ')}`,
      );
  },
});
