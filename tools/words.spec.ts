import { describe, expect, it } from '@jest/globals';
import { filesMatching, oddWords } from './lint/words.ts';

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
    'in spite of',
    'taken back',
    'likewise',
    'aloud',
  ])('finds "%s", with its line', (word) => {
    const text = `/** A plain line. */\n// The session ${word} here.\n`;
    expect(oddWords(text)).toEqual([{ line: 2, word, instead: expect.any(String) }]);
  });

  it('accepts words that only contain one', () => {
    expect(
      oddWords('// Recommended: a depending, mendacious renewal of beforehand; goes only to the bookshelfless.'),
    ).toEqual([]);
  });

  it('covers the files in folders below a wildcard, and fails for a pattern that matches none', () => {
    expect(filesMatching(['libs/*/src/**'])).toContain('libs/coap/src/endpoint/coap-udp-endpoint.ts');
    expect(() => filesMatching(['*.md', 'apps/*/sources/**'])).toThrow('No file matches apps/*/sources/**');
  });
});
