import { describe, expect, it } from '@jest/globals';
import { oddWords } from './lint/words.mjs';

describe('the check for odd words', () => {
  it.each([
    'Nobody',
    'somebody',
    'everybody',
    'whoever',
    'anew',
    'mended',
    'Deed',
    'turnstile',
    'shelves',
    'of before',
    'goes on',
    'in vain',
    'nudges',
    'expulsion',
    'barrage',
  ])('finds "%s", with its line', (word) => {
    const text = `/** A plain line. */\n// The session ${word} here.\n`;
    expect(oddWords(text)).toEqual([{ line: 2, word, instead: expect.any(String) }]);
  });

  it('accepts words that only contain one', () => {
    expect(
      oddWords('// Recommended: a depending, mendacious renewal of beforehand; goes only to the bookshelfless.'),
    ).toEqual([]);
  });
});
