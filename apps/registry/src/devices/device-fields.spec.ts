import { describe, expect, it } from '@jest/globals';
import { attributes } from './device-fields.js';

describe('custom attributes', () => {
  const schema = attributes(2);

  const problemsOf = (value: unknown): [path: string, message: string][] => {
    const { error } = schema.safeParse(value);
    return (error?.issues ?? []).map(({ path, message }): [string, string] => [path.join('.'), message]);
  };

  it('are kept as text', () => {
    expect(schema.parse({ room: 12, isOld: true })).toEqual({ room: '12', isOld: 'true' });
  });

  it('that are wrong are named', () => {
    expect(problemsOf({ room: null, hall: 'north' })).toEqual([['room', 'Must be text, a number or a boolean']]);
  });

  it('are not named one by one where there are too many', () => {
    const many = Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`a${n}`, null]));
    expect(problemsOf(many)).toEqual([['', 'At most 2 entries']]);
  });

  it('are an object, which may be left out', () => {
    for (const value of [null, 'text', ['a', 'b', 'c']])
      expect(problemsOf(value)).toEqual([['', expect.stringContaining('record')]]);
    expect(schema.optional().parse(undefined)).toBeUndefined();
  });
});
