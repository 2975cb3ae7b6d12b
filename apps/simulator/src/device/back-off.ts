/** Pause before the attempt after so many failed ones: doubles, and half of it is chance, so that a fleet comes spread out. */
export const backOffMs = (
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
  random: () => number,
): number => {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return whole / 2 + (whole / 2) * random();
};
