/** The pause after this many failed attempts: it doubles, and half of it is random, so that a fleet does not reconnect at once. */
export const backOffMs = (
  failures: number,
  { firstMs, maxMs }: { firstMs: number; maxMs: number },
  random: () => number,
): number => {
  const whole = Math.min(maxMs, firstMs * 2 ** Math.min(failures, 30));
  return whole / 2 + (whole / 2) * random();
};
