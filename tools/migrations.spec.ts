import { expect, it } from '@jest/globals';
import { projectFiles, textOf } from './lanyard/project-files.ts';

/** What a migration does on the way up. */
const upOf = (path: string): string => textOf(path).split('\n  down:', 1)[0] ?? '';

it('an index of an existing table may have been made by hand before the upgrade (docs/operations.md)', () => {
  const later = projectFiles('apps/*/src/db/migrations/*.ts').filter((path) => !path.endsWith('-initial.ts'));
  expect(later).not.toEqual([]);
  // Where the migration changes the table as well, there is nothing to make before.
  const onlyIndexes = later.filter((path) => !/CREATE TABLE|ALTER TABLE|DROP INDEX/.test(upOf(path)));
  expect(onlyIndexes).not.toEqual([]);
  expect(onlyIndexes.filter((path) => /CREATE (UNIQUE )?INDEX (?!IF NOT EXISTS)/.test(upOf(path)))).toEqual([]);
});
