import { type CoapMessage } from '../codec/message.js';
import { type EndpointCore } from '../state/core.js';
import { type CoapLimits } from '../limits.js';
import { type TimerWheel } from '../timing/timer-wheel.js';

/**
 * Handles a notification; `work` returns false when it failed. The peer retransmits a confirmable notification. There is no
 * second copy of a non-confirmable one, so it is retried here.
 */
export function retryNonConfirmable(
  core: EndpointCore,
  { type }: CoapMessage,
  work: () => Promise<boolean>,
): Promise<unknown> {
  return type === 'CON' ? work() : repeatedly(core, work, () => core.closing);
}

interface RetryingCore {
  readonly limits: Pick<CoapLimits, 'notificationRetriesMax' | 'notificationRetryMs'>;
  readonly timers: TimerWheel;
}

/**
 * Calls `work` until it succeeds, with delays that double: at most `notificationRetriesMax` times after the first
 * attempt, and not again once `stopped` returns true after an attempt. Returns whether it succeeded.
 */
export async function repeatedly(
  { limits, timers }: RetryingCore,
  work: () => Promise<boolean>,
  stopped: () => boolean,
): Promise<boolean> {
  for (let attempt = 0; !(await work()); attempt += 1) {
    if (attempt >= limits.notificationRetriesMax || stopped()) return false;
    await new Promise<void>((resolve) => timers.schedule(limits.notificationRetryMs * 2 ** attempt, resolve));
  }
  return true;
}
