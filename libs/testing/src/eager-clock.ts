interface Periodic {
  every(periodMs: number, work: () => void): unknown;
}

/** Longer periods are those of retention, which tests do not wait for. */
const periodMaxMs = 1_000;

const timesAsOften = 5;

/**
 * A real clock with which services look for work more often, for tests that would mostly wait for the next look. What else uses the
 * clock, such as pauses and limits, is not shortened.
 */
export const eagerClock = <C extends Periodic>(clock: C): C => ({
  ...clock,
  every: (periodMs: number, work: () => void) =>
    clock.every(periodMs > periodMaxMs ? periodMs : periodMs / timesAsOften, work),
});
