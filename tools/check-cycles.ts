/** No file imports itself through others. */
import { relative } from 'node:path';
import { importCycles } from './lanyard/import-cycles.ts';
import { root } from './lanyard/project.ts';

const cycles = ['apps', 'libs', 'tools', 'e2e', 'bench'].flatMap((folder) => importCycles(`${root}/${folder}`));
for (const cycle of cycles) console.error(`import cycle: ${cycle.map((file) => relative(root, file)).join(' -> ')}`);
process.exitCode = cycles.length > 0 ? 1 : 0;
