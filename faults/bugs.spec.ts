import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { bugs } from './bugs.ts';
import { rows } from './rows.ts';

const app = new URL('../apps/dispatcher/', import.meta.url);
const root = new URL('../', import.meta.url);

describe('planted bugs', () => {
  it.each(bugs)('$name fits the code, and names a row', ({ file, find, replace, row }) => {
    const source = readFileSync(new URL(file, /^(node_modules|apps)\//.test(file) ? root : app), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
    expect(rows.map(({ name }) => name)).toContain(row);
  });

  it('every row has a name of its own', () => {
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });
});
