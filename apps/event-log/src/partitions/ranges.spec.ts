import { describe, expect, it } from '@jest/globals';
import { keptFromMs, missingWeeks, weekStart } from './ranges.js';

const at = (text: string): number => Date.parse(`${text}T00:00:00Z`);
const shown = (ranges: { fromMs: number; toMs: number }[]): string[] =>
  ranges.map(({ fromMs, toMs }) => [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(5, 10)).join(' to '));

describe('partitions', () => {
  it.each([
    ['2026-11-21', '2026-11-16'],
    ['2026-11-16', '2026-11-16'],
    ['2024-01-01', '2024-01-01'],
    ['1969-12-31', '1969-12-29'],
  ])('the week of %s begins on Monday %s', (day, monday) => expect(weekStart(at(day))).toBe(at(monday)));

  it('are weeks where there are none', () => {
    expect(shown(missingWeeks([], at('2026-11-12'), at('2026-11-21')))).toEqual(['11-09 to 11-16', '11-16 to 11-23']);
  });

  it('fill the gaps between those that exist', () => {
    const existing = ['2026-11-16', '2026-11-02'].map((monday) => ({ fromMs: at(monday), toMs: at(monday) }));
    expect(shown(missingWeeks(existing, at('2026-11-05'), at('2026-11-23')))).toEqual([
      '11-09 to 11-16',
      '11-23 to 11-30',
    ]);
  });

  it('are none where all is covered', () => {
    expect(missingWeeks(missingWeeks([], 0, at('2026-11-21')), 0, at('2026-11-21'))).toEqual([]);
  });

  it('a day is kept as long as the retention says', () => {
    expect(keptFromMs(at('2026-11-21'), 7)).toBe(at('2026-11-14'));
  });
});
