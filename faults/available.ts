/** Calls of the API while parts of the system are away: 503 asks the client to try again after `Retry-After`. */
import { sleep } from '../tools/lanyard/project.ts';

const unavailable = 503;

/** Pause after a 503 without the header. */
const retryAfterMs = 1_000;

/** How long a client tolerates 503. Longer than the stalls of an overloaded machine. */
const patienceMs = 60_000;

/**
 * @param call must be safe to repeat
 * @returns the first answer that is not 503, or the last one
 */
export const whenAvailable = async <T extends { status: number; retryAfter: string | null }>(
  call: () => Promise<T>,
): Promise<T> => {
  for (const end = performance.now() + patienceMs; ;) {
    const answer = await call();
    const waitMs = answer.retryAfter === null ? retryAfterMs : 1_000 * Number(answer.retryAfter);
    if (answer.status !== unavailable || performance.now() + waitMs > end) return answer;
    await sleep(waitMs);
  }
};
