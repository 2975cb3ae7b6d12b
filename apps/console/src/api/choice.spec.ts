import { expect, it } from '@jest/globals';
import { type Choice, choicesOf } from './choice.ts';

const choiceOf = (id: string): Choice => ({ value: id, label: id.toUpperCase() });
const a = { value: 'a', label: 'A' };
const failed = new Error('No.');
const cannot = expect.stringContaining('cannot be read');

it.each<[what: string, ids: string[] | undefined, error: unknown, isFetching: boolean, expected: object]>([
  ['is being read', undefined, null, true, { input: { data: [], error: undefined }, areNone: false }],
  ['cannot be read', undefined, failed, false, { input: { data: [], error: cannot }, areNone: false }],
  ['is empty', [], null, false, { input: { data: [], error: undefined }, areNone: true }],
  ['was empty and is read again', [], null, true, { input: { data: [], error: undefined }, areNone: false }],
  ['was empty and cannot be read again', [], failed, false, { input: { data: [], error: cannot }, areNone: false }],
  ['has records', ['a'], null, false, { input: { data: [a], error: undefined }, areNone: false }],
  ['has records and then fails', ['a'], failed, false, { input: { data: [a], error: undefined }, areNone: false }],
])('the choices of a list that %s', (_, ids, error, isFetching, expected) => {
  expect(choicesOf({ data: ids && { data: ids }, error, isFetching }, choiceOf)).toEqual(expected);
});
