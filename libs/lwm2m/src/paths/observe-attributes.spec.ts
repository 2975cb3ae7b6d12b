import { describe, expect, it } from '@jest/globals';
import { WrongParameter } from '../errors.js';
import { observeAttributes } from './observe-attributes.js';

const resource = '/3303/0/5700';

describe('the attributes of an Observe', () => {
  it.each([
    [{}, undefined],
    [{ pmin: '10' }, 'pmin=10'],
    [{ pmin: '10', pmax: '60' }, 'pmax=60&pmin=10'],
    [{ pmax: '60', pmin: '10' }, 'pmax=60&pmin=10'],
    [{ lt: '-2.5', gt: '30', st: '0.5' }, 'gt=30&lt=-2.5&st=0.5'],
    [{ epmin: '0', epmax: '999999999', hqmax: '3' }, 'epmax=999999999&epmin=0&hqmax=3'],
    [{ edge: '1', con: '0' }, 'con=0&edge=1'],
    [
      { gt: '999999999999999', lt: '-999999999999999', st: '0.000000001' },
      'gt=999999999999999&lt=-999999999999999&st=0.000000001',
    ],
    [{ 'async-id': 'one', constructor: 'two', pmin: '1' }, 'pmin=1'],
    [{ 'async-id': 'one' }, undefined],
  ])('%j is the query %s', (given, query) => expect(observeAttributes(resource, given)).toBe(query));

  it.each(['/3303', '/3303/0'])('of %s are those that compare no values', (path) => {
    expect(observeAttributes(path, { pmin: '1', con: '1' })).toBe('con=1&pmin=1');
    for (const name of ['edge', 'gt', 'lt', 'st'])
      expect(() => observeAttributes(path, { [name]: '1' })).toThrow(`${name}: applies to resources only`);
  });

  it('of an instance of a resource may compare values', () =>
    expect(observeAttributes(`${resource}/0`, { gt: '1' })).toBe('gt=1'));

  it.each([
    [{ pmin: ['1', '2'] }, 'pmin: is given twice'],
    [{ pmin: '' }, 'pmin: must be a whole number'],
    [{ pmax: '1.5' }, 'pmax: must be a whole number'],
    [{ epmin: '-1' }, 'epmin: must be a whole number'],
    [{ gt: '1e3' }, 'gt: must be a decimal number'],
    [{ lt: 'NaN' }, 'lt: must be a decimal number'],
    [{ gt: '1&pmin=1' }, 'gt: must be a decimal number'],
    [{ st: '-1' }, 'st: must be a decimal number that is not negative'],
    [{ con: 'true' }, 'con: must be 0 or 1'],
    [{ pmax: '1000000000' }, 'pmax: must be a whole number of at most 9 digits'],
    [{ gt: '999999999999999.5' }, 'gt: must be a decimal number from -999999999999999 to 999999999999999'],
    [{ lt: '-1000000000000000' }, 'lt: must be a decimal number from -999999999999999'],
    [{ st: '999999999999999.5' }, 'st: must be a decimal number that is not negative, of at most 999999999999999'],
    [{ st: '0.0000000001' }, 'with at most 9 decimal places'],
  ])('%j is refused: %s', (given, problem) => {
    const read = () => observeAttributes(resource, given);
    expect(read).toThrow(WrongParameter);
    expect(read).toThrow(problem);
  });
});
