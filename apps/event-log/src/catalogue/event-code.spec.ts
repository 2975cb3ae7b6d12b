import { describe, expect, it } from '@jest/globals';
import { eventCodes } from '../log/codes.js';
import { allCodes, findCode } from './event-code.js';
import { remedyOf } from './remedies.js';

describe('the catalogue of codes', () => {
  it('says of every code what it means and what to do', () => {
    expect(allCodes().map(({ id }) => id)).toEqual(Object.keys(eventCodes));
    expect(Object.keys(eventCodes).filter((id) => remedyOf(id) === undefined)).toEqual([]);
  });

  it.each([
    ['SYS_106', 'SYS_106'],
    ['106', 'SYS_106'],
    ['UPD4_FAIL_27', 'UPD4_FAIL_27'],
    ['27', 'UPD4_FAIL_27'],
    ['SYS_999', undefined],
    ['toString', undefined],
    ['', undefined],
  ])('%s is %s', (name, id) => expect(findCode(name)?.id).toBe(id));

  it('tells services from update clients', () => {
    expect([findCode('SYS_100')?.source, findCode('UPD2_OK_18')?.source]).toEqual(['service', 'client']);
  });
});
