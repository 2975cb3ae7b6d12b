import { describe, expect, it } from '@jest/globals';
import { operatorActions } from '@lanyard/contracts';
import { eventCodes, lookUpCode, toEventType } from './codes.js';

describe('the catalogue', () => {
  it('has the tables of spec §6.2 and what this system adds', () => {
    const numbers = Object.values(eventCodes).map(({ type }) => Number(type));
    const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, i) => from + i);
    const operators = Object.keys(operatorActions).map((name) => Number(name.slice('SYS_'.length)));
    const all = [
      18,
      ...range(21, 49),
      ...range(100, 112),
      ...range(200, 203),
      ...range(300, 303),
      ...range(400, 402),
      410,
      411,
      ...operators,
    ];
    expect(numbers.sort((a, b) => a - b)).toEqual(all);
  });

  it('gives each code a number of its own', () => {
    for (const [code, { type }] of Object.entries(eventCodes)) expect([code, toEventType(code)]).toEqual([code, type]);
    expect(lookUpCode('SYS_400')).toMatchObject({ outcome: 'FAIL', category: 'FAIL_CLIENT' });
  });

  it('has nothing that JSON escapes: records contain it as it is', () => {
    for (const [name, { type, category, outcome }] of Object.entries(eventCodes))
      for (const text of [name, type, category, outcome]) expect(JSON.stringify(text)).toBe(`"${text}"`);
  });

  it('keeps an unknown code', () => {
    expect(lookUpCode('UPD1_100')).toMatchObject({ type: '100', outcome: 'INFO', meaning: 'UPD1_100' });
  });
});
