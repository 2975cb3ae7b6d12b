import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/lanyard/project.ts';

/** Rows of the table below a heading of docs/compatibility.md, as the page has them: area, calls, result. */
export const documentedCalls = (heading: string): string[] => {
  const page = readFileSync(join(root, 'docs/compatibility.md'), 'utf8');
  const section = page.split('\n## ').find((text) => text.startsWith(`${heading}\n`)) ?? '';
  return section
    .split('\n')
    .filter((line) => /^\| \w+.*\| (passes|fails)/.test(line))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll('`', ''))
        .join(' | '),
    );
};
