import { Writable } from 'node:stream';
import { expect, it } from '@jest/globals';
import { type Column, idColumn, Output } from './output.js';

interface Item {
  id: string;
  name: string;
}

const columns: Column<Item>[] = [{ title: 'NAME', of: ({ name }) => name }, idColumn];

const printed = async (items: readonly Item[]): Promise<string[]> => {
  let text = '';
  const stdout = new Writable({
    write: (chunk, _, done) => {
      text += String(chunk);
      done();
    },
  });
  await new Output(stdout, stdout, { json: false, quiet: false, colour: false }).list(items, columns);
  return text.trimEnd().split('\n');
};

const itemsNamed = (name: string, count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({ id: `id-${n}`, name }));

it('a long list has the same columns everywhere, and prints cells that are wider as a whole', async () => {
  const wide = 'much-wider-than-the-others';
  const items = [...itemsNamed('thermo-1', 500), ...itemsNamed('t', 500), ...itemsNamed(wide, 1)];
  const lines = await printed(items);
  expect(lines).toHaveLength(1_002);
  expect([lines[0], lines[1], lines[501], lines[1_000], lines[1_001]]).toEqual([
    'NAME      ID',
    'thermo-1  id-0',
    't         id-0',
    't         id-499',
    `${wide}  id-0`,
  ]);
});

it('a list without an item prints no titles', async () => {
  expect(await printed([])).toEqual(['']);
});
