import { SourceMap } from 'node:module';
import { expect, it } from '@jest/globals';
import { ownMappings } from './lanyard/bundles.ts';

const code = [
  '// libs/own/dist/first.js',
  'first();',
  '// node_modules/other/index.js',
  'other();',
  '// apps/one/node_modules/@scope/another/index.js',
  'another();',
  '// libs/own/dist/second.js',
  'second();',
].join('\n');

it('Node finds the sources of our own lines in a bundle, and none for the lines of packages', () => {
  // The first line of the first source, and that of the second, on lines 2 and 8.
  const mappings = ownMappings(code, ';AAAA;;;;;;ACAA');
  const payload = { version: 3, file: 'main.js', sourceRoot: '', names: [], sourcesContent: [] };
  const map = new SourceMap({ ...payload, sources: ['first.ts', 'second.ts'], mappings });
  const sourceOf = (line: number) => (map.findEntry(line, 0) as { originalSource?: string }).originalSource;
  expect(code.split('\n').map((_, line) => sourceOf(line))).toEqual([
    undefined,
    'first.ts',
    ...[undefined, undefined, undefined, undefined, undefined],
    'second.ts',
  ]);
});
