import { describe, expect, it } from '@jest/globals';
import { missingPeriods, periodStart, type TimeRange } from './time-ranges.js';

const hourMs = 3_600_000;
const weekMs = 7 * 24 * hourMs;

const at = (text: string): number => Date.parse(text.length > 10 ? text : `${text}T00:00:00Z`);
const shown = (ranges: TimeRange[]): string[] =>
  ranges.map(({ fromMs, toMs }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(5, 13)).join(' to '));
const missingWeeks = (existing: TimeRange[], fromMs: number, toMs: number): TimeRange[] =>
  missingPeriods(existing, { fromMs, toMs }, weekMs);

describe('ranges of time', () => {
  it.each([
    ['2026-11-21', '2026-11-16'],
    ['2026-11-16', '2026-11-16'],
    ['2024-01-01', '2024-01-01'],
    ['1969-12-31', '1969-12-29'],
  ])('the week of %s begins on Monday %s', (day, monday) => expect(periodStart(at(day), weekMs)).toBe(at(monday)));

  it('of two hours begin at even hours', () => {
    expect(periodStart(at('2026-11-24T07:59:59.999Z'), 2 * hourMs)).toBe(at('2026-11-24T06:00:00Z'));
  });

  it('are weeks where there are none', () => {
    expect(shown(missingWeeks([], at('2026-11-12'), at('2026-11-21')))).toEqual([
      '11-09T00 to 11-16T00',
      '11-16T00 to 11-23T00',
    ]);
  });

  it('fill the gaps between those that exist', () => {
    const existing = ['2026-11-16', '2026-11-02'].map((monday) => ({ fromMs: at(monday), toMs: at(monday) }));
    expect(shown(missingWeeks(existing, at('2026-11-05'), at('2026-11-23')))).toEqual([
      '11-09T00 to 11-16T00',
      '11-23T00 to 11-30T00',
    ]);
  });

  it('are none where all is covered', () => {
    expect(missingWeeks(missingWeeks([], 0, at('2026-11-21')), 0, at('2026-11-21'))).toEqual([]);
  });
});
