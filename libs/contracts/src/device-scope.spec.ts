import { describe, expect, it } from '@jest/globals';
import { isInScope, narrowest } from './device-scope.js';

describe('the device groups that a caller is limited to', () => {
  it.each([
    [undefined, undefined, true],
    [undefined, ['a'], true],
    [['a'], ['a', 'b'], true],
    [['a', 'b'], ['b'], true],
    [['a'], ['b'], false],
    [['a'], [], false],
    [['a'], undefined, false],
    [[], ['a'], false],
  ])('%j, and a device in %j: %s', (scope, groups, expected) => expect(isInScope(scope, groups)).toBe(expected));

  it.each([
    [[], undefined],
    [[null, undefined], undefined],
    [
      [['b', 'a', 'a'], null],
      ['a', 'b'],
    ],
    [
      [
        ['a', 'b'],
        ['b', 'c'],
      ],
      ['b'],
    ],
    [[['a'], ['b']], []],
  ])('several limits %j apply together: %j', (limits, expected) => expect(narrowest(limits)).toEqual(expected));
});
