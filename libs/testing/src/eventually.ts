/** How long a condition may take on a machine ten times slower than a developer's. */
export const patienceMs = 180_000;

interface Patience {
  timeoutMs?: number;
  /** Default: 10 ms, growing to 200 ms. */
  intervalMs?: number;
}

const intervalMinMs = 10;
const intervalMaxMs = 200;
const intervalGrowth = 1.3;

/**
 * Repeats `attempt` until it neither throws nor answers false, and returns its answer. When time is up, throws the error
 * of the last attempt. Tests wait for conditions with it, never for durations.
 */
export const eventually = async <T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = patienceMs, intervalMs }: Patience = {},
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  for (let waitMs = intervalMs ?? intervalMinMs; ;) {
    let problem: unknown;
    try {
      const answer = await attempt();
      if (answer !== false) return answer;
      problem = new Error(`still false after ${timeoutMs} ms`);
    } catch (error) {
      problem = error;
    }
    if (Date.now() >= deadline) throw problem;
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    if (intervalMs === undefined) waitMs = Math.min(waitMs * intervalGrowth, intervalMaxMs);
  }
};
