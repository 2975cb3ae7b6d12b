/**
 * NaN if there are no values.
 * @param p 0 to 1
 */
export const percentile = (values: readonly number[], p: number) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? NaN;
};

export const median = (values: readonly number[]) => percentile(values, 0.5);

/** A whole number from 100 on, otherwise three significant digits. */
export const round = (value: number) => Number(value >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** Figures by name, in one line. */
export const lineOf = (figures: Readonly<Record<string, number>>) =>
  Object.entries(figures)
    .map(([name, value]) => `${name} ${round(value)}`)
    .join(', ');
