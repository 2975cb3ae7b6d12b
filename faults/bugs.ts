import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { Mutation } from './program.ts';

/** `row`: the row that must find the bug; `shows`: the violation that it must report */
export type Bug = Mutation & { name: string; about: string; row: string; shows: RegExp };

/** `found_by`: the violation that each row must report, as a regular expression, by the name of the row */
type Entry = Omit<Bug, 'row' | 'shows'> & { found_by: Record<string, string> };

const entries: Entry[] = parse(readFileSync(new URL('bugs.yaml', import.meta.url), 'utf8'));

/** Each bug once for each row that must find it. */
export const bugs: readonly Bug[] = entries.flatMap(({ found_by: rows, ...bug }) =>
  Object.entries(rows).map(([row, shows]) => ({ ...bug, row, shows: new RegExp(shows) })),
);
