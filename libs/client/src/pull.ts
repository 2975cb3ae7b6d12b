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

/** As `after`: no answer has arrived. */
const nothingYet = '0';

/** What the next poll says of an answer: only who asks knows whether it came. */
const afterOf = (headers: Headers): string | undefined => /[?&]after=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];

/** Events by long polling, for where WebSockets cannot pass. Ends with `signal`; goes on after failures that pass. */
export async function* pulledEvents(http: Http, signal?: AbortSignal): AsyncGenerator<LanyardEvent> {
  let after = nothingYet;
  for (let failures = 0; !signal?.aborted;)
    try {
      const options = { timeoutMs: pollTimeoutMs, retries: 0, ...(signal && { signal }) };
      const { answer, headers } = await http.exchange('GET /v2/notification/pull', { query: { after } }, options);
      failures = 0;
      yield* eventsOf((answer ?? {}) as NotificationMessage);
      after = afterOf(headers) ?? after;
    } catch (error) {
      if (signal?.aborted) return;
      const passes =
        error instanceof NoAnswer ||
        (error instanceof RequestFailed && (error.status >= 500 || error.status === 429 || passing.has(error.status)));
      if (!passes) throw error;
      await sleep(backOffMs(failures++), undefined, { signal }).catch(() => undefined);
    }
}
