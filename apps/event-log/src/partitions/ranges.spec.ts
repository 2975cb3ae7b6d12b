import { describe, expect, it } from '@jest/globals';
import { keptFromMs, missingRanges, weekStart } from './ranges.js';

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
    expect(shown(missingRanges([], at('2026-11-12'), at('2026-11-21')))).toEqual(['11-09 to 11-16', '11-16 to 11-23']);
  });

  it('fill what months left over, without overlapping one', () => {
    const months = [
      { fromMs: at('2026-12-01'), toMs: at('2027-01-01') },
      { fromMs: at('2026-10-01'), toMs: at('2026-11-01') },
    ];
    expect(shown(missingRanges(months, at('2026-10-15'), at('2027-01-05')))).toEqual([
      '11-01 to 11-02',
      '11-02 to 11-09',
      '11-09 to 11-16',
      '11-16 to 11-23',
      '11-23 to 11-30',
      '11-30 to 12-01',
      '01-01 to 01-04',
      '01-04 to 01-11',
    ]);
  });

  it('are none where all is covered', () => {
    expect(missingRanges(missingRanges([], 0, at('2026-11-21')), 0, at('2026-11-21'))).toEqual([]);
  });

  it('a day is kept as long as the retention says', () => {
    expect(keptFromMs(at('2026-11-21'), 7)).toBe(at('2026-11-14'));
  });
});
