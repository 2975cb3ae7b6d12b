import { type CoapMessage } from '../codec/message.js';
import { type EndpointCore } from '../core/core.js';

/**
 * Handles a notification; `work` returns false when it failed. A confirmable one is retransmitted. For a
 * non-confirmable one there is no second copy, so it is retried here.
 */
export function withChances(core: EndpointCore, { type }: CoapMessage, work: () => Promise<boolean>): Promise<unknown> {
  return type === 'CON' ? work() : repeatedly(core, work);
}

async function repeatedly(core: EndpointCore, work: () => Promise<boolean>): Promise<void> {
  const { notificationRetriesMax, notificationRetryMs } = core.limits;
  for (let attempt = 0; !(await work()); attempt += 1) {
    if (attempt >= notificationRetriesMax || core.closing) return;
    await new Promise<void>((resolve) => core.timers.schedule(notificationRetryMs * 2 ** attempt, resolve));
  }
}
