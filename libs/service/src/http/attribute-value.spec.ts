import { describe, expect, it } from '@jest/globals';
import { attributeValue } from './attribute-value.js';

describe('a value of custom attributes', () => {
  const value = attributeValue(4);

  it.each([
    ['', ''],
    ['abcd', 'abcd'],
    ['\u{1F600}'.repeat(4), '\u{1F600}'.repeat(4)],
    [1.5, '1.5'],
    [true, 'true'],
  ])('%j is kept as %j', (given, kept) => {
    expect(value.parse(given)).toBe(kept);
  });

  it.each([
    ['abcde', 'At most 4 characters'],
    [`${'\u{1F600}'.repeat(4)}a`, 'At most 4 characters'],
    [false, 'At most 4 characters'],
    [10_000, 'At most 4 characters'],
    [null, 'Must be text, a number or a boolean'],
    [undefined, 'Must be text, a number or a boolean'],
    [{}, 'Must be text, a number or a boolean'],
    [['a'], 'Must be text, a number or a boolean'],
  ])('%j is refused: %s', (given, message) => {
    expect(value.safeParse(given).error?.issues.map((issue) => issue.message)).toEqual([message]);
  });
});
