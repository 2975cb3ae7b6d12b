export interface Patience {
  timeoutMs?: number;
  intervalMs?: number;
}

/**
 * Repeats `attempt` until it neither throws nor answers false; gives its answer. Throws what the last attempt threw
 * when time is up. Tests wait for conditions with it, never for durations.
 */
export const eventually = async <T>(
  attempt: () => T | Promise<T>,
  { timeoutMs = 30_000, intervalMs = 25 }: Patience = {},
): Promise<T> => {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let problem: unknown;
    try {
      const answer = await attempt();
      if (answer !== false) return answer;
      problem = new Error(`still false after ${timeoutMs} ms`);
    } catch (error) {
      problem = error;
    }
    if (Date.now() >= deadline) throw problem;
    await new Promise((resolve) => setTimeout(resolve, intervalMs));
  }
};
