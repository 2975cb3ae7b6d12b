/** No file imports itself through other files. Type imports do not count. */
import { posix } from 'node:path';
import { conclude, projectFiles, textOf } from './lanyard/project-files.ts';

const statement = /(?:^|\n)\s*(import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?['"](\.[^'"]+)['"]/g;

const folders = ['apps', 'libs', 'tools', 'e2e', 'bench', 'faults'];
const files = new Set(projectFiles(...folders.map((folder) => `${folder}/**/*.ts`), '**/*.tsx'));

/** Files that a file loads at run time, by relative path. */
const imports = (file: string) =>
  [...textOf(file).matchAll(statement)].flatMap(([, , typeOnly, target = '']) => {
    const path = posix.join(posix.dirname(file), target);
    const candidates = [path, path.replace(/\.js$/, '.ts'), path.replace(/\.js$/, '.tsx')];
    const found = candidates.find((candidate) => files.has(candidate));
    return typeOnly || !found ? [] : [found];
  });

const seen = new Map<string, 'open' | 'done'>();
const cycles: string[][] = [];

const visit = (file: string, trail: string[]) => {
  if (seen.get(file) === 'done') return;
  if (seen.get(file) === 'open') return void cycles.push([...trail.slice(trail.indexOf(file)), file]);
  seen.set(file, 'open');
  for (const next of imports(file)) visit(next, [...trail, file]);
  seen.set(file, 'done');
};

for (const file of files) visit(file, []);
conclude(cycles.map((cycle) => `import cycle: ${cycle.join(' -> ')}`));
