import { eventsOf, type LanyardEvent } from './events.js';
import type { NotificationMessage } from './generated/api.js';
import type { Http } from './http.js';
import { backOffMs, isTemporary, retryDelayMs } from './retry.js';
import { sleep } from './sleep.js';

/** The service holds a poll for 30 s. */
const pollTimeoutMs = 45_000;

/** An empty answer that arrives sooner comes from a service that is stopping, or from something else. */
const emptyAnswerMinMs = 1_000;

/** Value of `after` until an answer has arrived. */
const nothingYet = '0';

export interface Polled {
  /** Empty if no event came. */
  message: NotificationMessage;
  /** Given as `after` to the next poll, it confirms the message; undefined if no event came. */
  next: string | undefined;
}

export interface PollOptions {
  /** `next` of the last message that was processed; later messages are delivered again. Default: no message was processed. */
  after?: string;
  /** The service answers at once. */
  noWait?: boolean;
  signal?: AbortSignal;
}

/** Position that confirms an answer in the next poll: only the client knows whether the answer arrived. */
const afterOf = (headers: Headers): string | undefined => /[?&]after=([^&>]+)/.exec(headers.get('link') ?? '')?.[1];

/** One poll. Throws RequestFailed, NoAnswer. */
export const poll = async (http: Http, { after = nothingYet, noWait, signal }: PollOptions = {}): Promise<Polled> => {
  const options = { timeoutMs: pollTimeoutMs, retries: 0, ...(signal && { signal }) };
  const { answer, headers } = await http.exchange('GET /v2/notification/pull', { query: { after, noWait } }, options);
  return { message: (answer ?? {}) as NotificationMessage, next: afterOf(headers) };
};

/** Events by long polling, where WebSockets are blocked. Ends with `signal`; continues after temporary failures. */
export async function* pulledEvents(http: Http, signal?: AbortSignal): AsyncGenerator<LanyardEvent> {
  let after = nothingYet;
  for (let failures = 0; !signal?.aborted;)
    try {
      const askedAtMs = performance.now();
      const { message, next } = await poll(http, { after, ...(signal && { signal }) });
      const events = eventsOf(message);
      if (events.length > 0 || performance.now() - askedAtMs >= emptyAnswerMinMs) failures = 0;
      else await sleep(backOffMs(failures++), signal);
      yield* events;
      after = next ?? after;
    } catch (error) {
      if (signal?.aborted) return;
      if (!isTemporary(error)) throw error;
      await sleep(retryDelayMs(error, failures++), signal).catch(() => undefined);
    }
}
