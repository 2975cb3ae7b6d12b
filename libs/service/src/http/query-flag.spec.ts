import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../errors/service-error.js';
import { queryFlag } from './query-flag.js';

describe('a flag of a query', () => {
  it.each([
    [undefined, false],
    ['true', true],
    ['True', true],
    ['FALSE', false],
  ])('%j is %s', (value, expected) => expect(queryFlag('noWait', value)).toBe(expected));

  it.each([['yes'], ['1'], [''], [['true', 'true']]])('%j is refused with the name', (value) => {
    const named = expect.objectContaining({ fields: [expect.objectContaining({ name: 'noWait' })] });
    expect(() => queryFlag('noWait', value)).toThrow(named);
    expect(() => queryFlag('noWait', value)).toThrow(ValidationFailed);
  });
});
