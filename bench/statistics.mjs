/** @param {readonly number[]} values @param {number} p 0 to 1 */
export const percentile = (values, p) => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? NaN;
};

/** @param {readonly number[]} values */
export const median = (values) => percentile(values, 0.5);

/** Two decimals, or three digits when small. @param {number} value */
export const round = (value) => Number(value >= 100 ? value.toFixed(0) : value.toPrecision(3));
