import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { root } from '../lanyard/project.ts';
import { schemas } from './database.ts';

it.each(['docs/backup.md', 'docs/operations.md'])('%s removes every schema before a dump is restored', (page) => {
  const [, names = ''] = /DROP SCHEMA IF EXISTS ([a-z_, ]+) CASCADE/.exec(readFileSync(join(root, page), 'utf8')) ?? [];
  expect(names.split(', ')).toEqual(schemas);
});
