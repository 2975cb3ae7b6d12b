import { setTimeout as sleep } from 'node:timers/promises';
import { NoAnswer, RequestFailed } from './errors.js';
import { eventsOf, type LanyardEvent } from './events.js';
import type { NotificationMessage } from './generated/api.js';
import type { Http } from './http.js';
import { backOffMs } from './retry.js';

/** The service holds a poll for 30 s. */
const pollTimeoutMs = 45_000;

/** The channel is being deleted, or another poll of the key is not over yet. */
const passing = new Set([409, 410]);

/** Events by long polling, for where WebSockets cannot pass. Ends with `signal`; goes on after failures that pass. */
export async function* pulledEvents(http: Http, signal?: AbortSignal): AsyncGenerator<LanyardEvent> {
  for (let failures = 0; !signal?.aborted;)
    try {
      const options = { timeoutMs: pollTimeoutMs, retries: 0, ...(signal && { signal }) };
      // Only who asks knows whether an answer came.
      const input = failures > 0 ? { query: { again: true } } : {};
      const message = (await http.send('GET /v2/notification/pull', input, options)) as NotificationMessage | undefined;
      failures = 0;
      yield* eventsOf(message ?? {});
    } catch (error) {
      if (signal?.aborted) return;
      const passes =
        error instanceof NoAnswer ||
        (error instanceof RequestFailed && (error.status >= 500 || error.status === 429 || passing.has(error.status)));
      if (!passes) throw error;
      await sleep(backOffMs(failures++), undefined, { signal }).catch(() => undefined);
    }
}
