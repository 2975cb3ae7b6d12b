import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { operatorActions } from '@lanyard/contracts';
import { eventCodes, lookUpCode, toEventType } from './codes.js';

/** The rows of spec §6.2: code and meaning, without its full stop. */
const specified = (): [code: string, meaning: string][] => {
  const page = readFileSync(new URL('../../../../docs/spec.md', import.meta.url), 'utf8');
  const rows = page.matchAll(/^\| ((?:SYS|UPD\d)_\w+) \| (.+?)\.? \|$/gm);
  return [...rows].map(([, code = '', meaning = '']): [string, string] => [code, meaning]);
};

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

  it('has every code of spec §6.2 by its name, with the meaning in the words of the specification', () => {
    const rows = specified();
    expect(rows).toHaveLength(43);
    expect(rows.map(([code]) => [code, eventCodes[code]?.meaning])).toEqual(rows);
  });

  it('says of each code what the message type of spec §2.5 is', () => {
    const outcomes = Object.fromEntries(specified().map(([code]) => [code, eventCodes[code]?.outcome]));
    const { SYS_100, SYS_101, SYS_102, SYS_110, SYS_111, SYS_112, UPD2_OK_18, ...others } = outcomes;
    expect([SYS_112, UPD2_OK_18]).toEqual(['SUCCESS', 'SUCCESS']);
    expect(SYS_110).toBe('SKIPPED');
    expect([SYS_100, SYS_101, SYS_102, SYS_111]).toEqual(Array<string>(4).fill('FAIL'));
    for (const [code, outcome] of Object.entries(others))
      expect([code, outcome]).toEqual([code, code.startsWith('UPD4_FAIL_') ? 'FAIL' : 'INFO']);
  });

  it('gives each code a number of its own', () => {
    for (const [code, { type }] of Object.entries(eventCodes)) expect([code, toEventType(code)]).toEqual([code, type]);
    expect(lookUpCode('SYS_400')).toMatchObject({ outcome: 'FAIL', category: 'FAIL_CLIENT' });
  });

  it('has nothing that JSON escapes: records contain it as it is', () => {
    for (const [name, { type, category, outcome }] of Object.entries(eventCodes))
      for (const text of [name, type, category, outcome]) expect(JSON.stringify(text)).toBe(`"${text}"`);
  });

  it('keeps an unknown code, whose type is its number', () => {
    expect(lookUpCode('UPD1_100')).toMatchObject({ type: '100', outcome: 'INFO', meaning: 'UPD1_100' });
    for (const code of ['UPD1_100', 'UPD1_FAIL_7', 'SYS_999'])
      expect([code, toEventType(code)]).toEqual([code, lookUpCode(code).type]);
    const others = ['7', 'UPD_7', 'failed 7', 'toString', ''];
    expect(others.map(toEventType)).toEqual(others);
  });
});
