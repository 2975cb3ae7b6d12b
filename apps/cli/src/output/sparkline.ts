const bars = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

/** One bar for each value, between the least and the greatest. */
export const sparkline = (values: readonly number[]): string => {
  const [least, greatest] = [Math.min(...values), Math.max(...values)];
  const height = (value: number): number =>
    greatest === least ? 3 : Math.round(((value - least) / (greatest - least)) * (bars.length - 1));
  return values.map((value) => bars[height(value)] ?? '').join('');
};
