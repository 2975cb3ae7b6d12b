import { describe, expect, it } from '@jest/globals';
import { areWriteAttributes, writeAttributeNames } from './write-attributes.js';

describe('areWriteAttributes', () => {
  it('knows each name, with a value, an empty one and none', () => {
    for (const name of writeAttributeNames) {
      expect(areWriteAttributes([`${name}=1`])).toBe(true);
      expect(areWriteAttributes([`${name}=`])).toBe(true);
      expect(areWriteAttributes([name])).toBe(true);
    }
    expect(areWriteAttributes(['pmin=10', 'pmax=60', 'gt=-1.5'])).toBe(true);
  });

  it.each([
    ['nothing', []],
    ['an unknown name', ['pmin=1', 'step=2']],
    ['another case', ['PMIN=1']],
    ['a longer name', ['pminimum=1']],
    ['two in one part', ['pmin=1&pmax=2']],
    ['an empty part', ['']],
  ])('refuses %s', (_name, query) => {
    expect(areWriteAttributes(query)).toBe(false);
  });
});
