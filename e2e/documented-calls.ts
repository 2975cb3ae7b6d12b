import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../tools/lanyard/project.ts';
import type { Application } from './application.ts';
import { fresh } from './journeys.ts';

/** A key for a software development kit, which manages other keys too. */
export const administratorKey = async (admin: Application): Promise<string> => {
  const groups = (await admin.call('GET', '/v3/policy-groups')).json.data as { id: string; name: string }[];
  const administrators = groups.filter(({ name }) => name === 'Administrators').map(({ id }) => id);
  const { json } = await admin.call('POST', '/v3/api-keys', { name: fresh('sdk'), groups: administrators });
  return String(json.key);
};

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
