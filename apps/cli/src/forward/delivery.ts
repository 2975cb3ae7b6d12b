import { setTimeout as sleep } from 'node:timers/promises';
import type { Forwarded } from './journal.js';
import { backOffMs } from '../retries.js';
import { signatureHeaders } from './signature.js';

/** The time that the service waits for a callback. */
const timeoutMs = 20_000;
/** The service removes a channel that is not polled for 10 minutes. */
const aliveEveryMs = 60_000;

export interface Target {
  url: string;
  method: string;
  secret: string | undefined;
  headers: Record<string, string>;
}

export interface DeliveryEvents {
  onFailed: (problem: string, waitMs: number) => void;
  /** Called about once a minute while the local server fails, so that the service keeps the channel. */
  keepAlive: () => Promise<void>;
}

const problemOf = (error: unknown): string => {
  const { cause, message } = error as Error & { cause?: NodeJS.ErrnoException };
  return cause?.code ?? cause?.message ?? message;
};

/** Statuses by which the receiver of a callback accepts a message (spec §6.1). */
const accepted: ReadonlySet<number> = new Set([200, 204]);

/** Resolves with the problem; undefined when the server accepted the message. */
const attempt = async (target: Target, message: Forwarded, signal: AbortSignal): Promise<string | undefined> => {
  const signed = target.secret === undefined ? {} : signatureHeaders(target.secret, message, Date.now());
  try {
    const response = await fetch(target.url, {
      method: target.method,
      headers: { ...target.headers, ...signed, 'content-type': 'application/json' },
      body: message.body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    return accepted.has(response.status) ? undefined : `status ${response.status}`;
  } catch (error) {
    return problemOf(error);
  }
};

/** Sends a message until the server accepts it. Returns false if the signal ended it before. */
export const deliver = async (
  target: Target,
  message: Forwarded,
  signal: AbortSignal,
  { onFailed, keepAlive }: DeliveryEvents,
): Promise<boolean> => {
  let aliveAtMs = performance.now();
  for (let failures = 0; !signal.aborted; failures++) {
    const problem = await attempt(target, message, signal);
    if (problem === undefined) return true;
    if (signal.aborted) return false;
    onFailed(problem, backOffMs(failures));
    await sleep(backOffMs(failures), undefined, { signal }).catch(() => undefined);
    if (performance.now() - aliveAtMs < aliveEveryMs) continue;
    aliveAtMs = performance.now();
    await keepAlive();
  }
  return false;
};
