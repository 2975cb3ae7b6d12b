/** Axes of rates begin at zero; axes of values have the range of the values. */
export type Range = 'rate' | 'values';

const margin = 0.125;

/** Lowest and highest value of a chart's axis. `min` and `max` are those of the data shown; null if there is none. */
export const rangeOf = (range: Range, min: number | null, max: number | null): [number, number] => {
  if (min === null || max === null) return [0, 1];
  if (range === 'rate') return [0, max > 0 ? max * (1 + margin) : 1];
  // If all values are equal, they form a line in the middle.
  const space = max > min ? (max - min) * margin : Math.abs(max) * margin || 1;
  return [min - space, max + space];
};

const minuteS = 60;
const hourS = 3_600;
const dayS = 86_400;

/**
 * Seconds between two ticks of a time axis. uPlot's own steps go from one minute to five, which leaves a chart of a few
 * minutes without ticks.
 */
export const tickSteps: number[] = [
  ...[1, 2, 5, 10, 20, 30],
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minuteS),
  ...[1, 2, 3, 6, 12].map((n) => n * hourS),
  ...[1, 2, 4, 7, 14].map((n) => n * dayS),
];
