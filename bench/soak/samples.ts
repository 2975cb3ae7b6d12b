/** Figures that are sampled during a soak, and their trends. */

/** Figures by name, in MB, ms and so on. */
export type Sample = { minutes: number } & Record<string, number>;

/** Share of the soak before its figures count, while caches fill and pools grow. */
const warmUpShare = 0.25;

/** Mean over the samples that have the figure. */
export const meanOf = (samples: readonly Sample[], name: string) => {
  const all = samples.map((sample) => sample[name] ?? NaN).filter(Number.isFinite);
  return all.reduce((sum, one) => sum + one, 0) / all.length;
};

/** Least squares: how much `name` grows in an hour, without the warm-up. */
export const slopePerHour = (samples: readonly Sample[], name: string) => {
  const from = (samples.at(-1)?.minutes ?? 0) * warmUpShare;
  const points = samples
    .filter(({ minutes }) => minutes >= from)
    .map((sample) => [sample.minutes / 60, sample[name] ?? NaN] as const)
    .filter(([, value]) => Number.isFinite(value));
  const mean = (of: (point: readonly [number, number]) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const variance = mean(([x]) => (x - meanX) ** 2);
  return mean(([x, y]) => (x - meanX) * (y - meanY)) / variance;
};
