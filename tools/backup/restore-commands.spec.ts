import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { folderForNobody } from '../lanyard/infrastructure-processes.ts';
import { root } from '../lanyard/project.ts';
import { schemas } from './database.ts';

const page = readFileSync(join(root, 'docs/backup.md'), 'utf8');

it('docs/backup.md removes every schema before a dump is restored', () => {
  const [, names = ''] = /DROP SCHEMA IF EXISTS ([a-z_, ]+) CASCADE/.exec(page) ?? [];
  expect(names.split(', ')).toEqual(schemas);
});

it('docs/backup.md says where root keeps the data of PostgreSQL outside of the folder that is copied', () => {
  const [, command = ''] = /`(printf %s [^`]+)`/.exec(page) ?? [];
  const { stdout } = spawnSync('sh', ['-c', command], { cwd: root, encoding: 'utf8' });
  expect(page).toContain('`/var/lib/lanyard/<hash of the folder>`');
  expect(`/var/lib/lanyard/${stdout.trim()}`).toBe(folderForNobody(join(root, '.lanyard')));
});

it('a backup that is made in the clone is neither committed nor sent to a builder of images', () => {
  const linesOf = (path: string) => readFileSync(join(root, path), 'utf8').split('\n');
  const program = readFileSync(join(root, 'tools/backup.ts'), 'utf8');
  const names = [/--file="(lanyard-[^"]+)"/.exec(page)?.[1], /`(lanyard-[^`]+)`/.exec(program)?.[1]];
  const patterns = names.map((name) => name?.replace(/\$[({].+[)}]/, '*'));
  expect(patterns).toEqual(['lanyard-*.dump', 'lanyard-*.backup']);
  expect(linesOf('.gitignore')).toEqual(expect.arrayContaining(patterns.map((pattern) => `/${pattern}`)));
  expect(linesOf('.dockerignore')).toEqual(expect.arrayContaining(patterns));
});

it('docs/backup.md puts packages back after their records, because campaigns deletes bytes without a record', () => {
  const [, section = ''] = /## Restore into a fresh installation\n([\s\S]*?)\n## /.exec(page) ?? [];
  expect(section).toMatch(/\n2\. Run `npm run restore [\s\S]*\n3\. Put the packages back /);
  expect(section).toContain('**without the packages until step 3**');
});
