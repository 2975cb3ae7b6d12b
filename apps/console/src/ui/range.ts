/** Rates begin at zero; values have the range in which they lie. */
export type Range = 'rate' | 'values';

const margin = 0.125;

/** Lowest and highest value of a chart's axis. `min` and `max` are of what it shows: null if it shows nothing. */
export const rangeOf = (range: Range, min: number | null, max: number | null): [number, number] => {
  if (min === null || max === null) return [0, 1];
  if (range === 'rate') return [0, max > 0 ? max * (1 + margin) : 1];
  // One value, repeated, is a line in the middle.
  const space = max > min ? (max - min) * margin : Math.abs(max) * margin || 1;
  return [min - space, max + space];
};

const minuteS = 60;
const hourS = 3_600;
const dayS = 86_400;

/**
 * Seconds between two ticks of an axis of time. Those of uPlot go from one minute to five, which leaves a chart of a few
 * minutes without any.
 */
export const tickSteps: number[] = [
  ...[1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minuteS),
  ...[1, 2, 3, 6, 12].map((n) => n * hourS),
  ...[1, 2, 4, 7].map((n) => n * dayS),
];
