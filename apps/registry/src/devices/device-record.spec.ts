import { describe, expect, it } from '@jest/globals';
import { withGroups } from './device-record.js';

describe('the record of a device', () => {
  it.each([
    ['{}', []],
    ['{b2}', ['b2']],
    ['{b2,c3,a1}', ['a1', 'b2', 'c3']],
  ])('has the groups %s in the order of their ids', (groups, ids) => {
    expect(JSON.parse(withGroups('{"object":"device","id":"d"}', groups))).toEqual({
      object: 'device',
      id: 'd',
      groups: ids,
    });
  });
});
