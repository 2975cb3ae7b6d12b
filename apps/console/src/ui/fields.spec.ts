import { expect, it } from '@jest/globals';
import { wholeOf } from './fields.ts';

it.each<[typed: number | string, n: number | undefined]>([
  [5, 5],
  // As the input has it while it is being typed.
  ['007', 7],
  ['5.', 5],
  ['', undefined],
  ['-', undefined],
  [0, undefined],
  [-3, undefined],
  [2.5, undefined],
])('the whole number in an input with %p is %p', (typed, n) => expect(wholeOf(typed)).toBe(n));
