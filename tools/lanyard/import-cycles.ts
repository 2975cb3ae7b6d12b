import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const skipped = new Set(['node_modules', 'dist', '.nx', '.lanyard', '.git', 'coverage']);

const sources = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (skipped.has(entry.name)) return [];
    const path = join(folder, entry.name);
    return entry.isDirectory() ? sources(path) : /\.(ts|mjs)$/.test(entry.name) ? [path] : [];
  });

const statement = /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"](\.[^'"]+)['"]/g;

/** Files that a file loads at run time, by relative path. */
const imports = (file: string) =>
  [...readFileSync(file, 'utf8').matchAll(statement)].flatMap(([, , typeOnly, target = '']) => {
    const path = resolve(dirname(file), target);
    const candidates = [path, path.replace(/\.js$/, '.ts')];
    const found = candidates.find((c) => existsSync(c));
    return typeOnly || !found ? [] : [found];
  });

/** Import cycles below a folder, each as the list of its files. Type-only imports do not count. */
export const importCycles = (folder: string) => {
  const files = sources(resolve(folder));
  const graph = new Map(files.map((file) => [file, imports(file)]));
  const seen = new Map<string, 'open' | 'done'>();
  const cycles: string[][] = [];
  const visit = (file: string, trail: string[]) => {
    if (seen.get(file) === 'done') return;
    if (seen.get(file) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(file)), file]);
      return;
    }
    seen.set(file, 'open');
    for (const next of graph.get(file) ?? []) visit(next, [...trail, file]);
    seen.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  return cycles;
};
