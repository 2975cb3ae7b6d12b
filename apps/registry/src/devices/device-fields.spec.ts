import { describe, expect, it } from '@jest/globals';
import { attributes, NewDevice } from './device-fields.js';

describe('the dates of a new device', () => {
  const isAccepted = (date: unknown): boolean => NewDevice.safeParse({ bootstrap_expiration_date: date }).success;

  it('are days from the year 1 on, or null', () => {
    for (const date of ['0001-01-01', '2028-02-29', '9999-12-31', null])
      expect([date, isAccepted(date)]).toEqual([date, true]);
    for (const date of ['0000-01-01', '2027-02-29', '2027-01-01T00:00:00Z', ''])
      expect([date, isAccepted(date)]).toEqual([date, false]);
  });
});

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
