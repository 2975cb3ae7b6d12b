import { isTemporary, type Lanyard, NotFound, type NotificationMessage } from '@lanyard/client';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, exitCodes } from '../errors.js';
import { backOffMs, pauseMs } from '../retries.js';

/** A message, and the position that confirms it. */
export interface Message {
  message: NotificationMessage;
  next: string;
}

export interface PullOptions {
  /** Position of the last message that was processed. */
  after?: string;
  signal: AbortSignal;
  onLost: (error: Error) => void;
}

/**
 * The service answers a poll without events only after 30 s. An empty answer that arrives sooner than this comes from a
 * service that is stopping, or from something else, so the next poll waits.
 */
const emptyAnswerMinMs = 1_000;

const kinds: Record<string, string> = { CALLBACK: 'callback', WEB_SOCKET: 'websocket', LONG_POLLING: 'pull' };

/** The kind of the key's channel; undefined if it has none. */
export const channelKind = async (lanyard: Lanyard): Promise<string | undefined> => {
  try {
    const { delivery_mechanism: mechanism } = await lanyard.call('GET /v2/notification/channel');
    return kinds[mechanism];
  } catch (error) {
    if (error instanceof NotFound) return undefined;
    throw error;
  }
};

/** Creates the pull channel of the key. A channel of another kind stays, because an application expects its events. */
export const openPullChannel = async (lanyard: Lanyard): Promise<void> => {
  const kind = await channelKind(lanyard);
  if (kind !== undefined && kind !== 'pull')
    throw new CliError(
      `The key has a ${kind} channel, whose events belong to an application.`,
      exitCodes.refused,
      'If none needs them any more, run "lanyard channels delete". Otherwise make a key for this program with\n' +
        '"lanyard keys create local --out local.key", and add "--key-file local.key".',
    );
  if (kind === undefined) await lanyard.call('PUT /v2/notification/pull', { body: {} });
};

/**
 * Messages of the pull channel, in order. A message is confirmed when the next one is requested, so a program that ends
 * before that gets it again. Continues after temporary failures.
 */
export async function* messages(
  lanyard: Lanyard,
  { after, signal, onLost }: PullOptions,
): AsyncGenerator<Message, void> {
  let position = after;
  let isLost = false;
  for (let failures = 0; !signal.aborted;)
    try {
      const askedAtMs = performance.now();
      const { message, next } = await lanyard.poll({ signal, ...(position !== undefined && { after: position }) });
      isLost = false;
      if (next !== undefined || performance.now() - askedAtMs >= emptyAnswerMinMs) failures = 0;
      else await sleep(backOffMs(failures++), undefined, { signal });
      if (next === undefined) continue;
      yield { message, next };
      position = next;
    } catch (error) {
      if (signal.aborted) return;
      if (!isTemporary(error)) throw error;
      if (!isLost) onLost(error);
      isLost = true;
      await sleep(pauseMs(error, failures++), undefined, { signal }).catch(() => undefined);
    }
}
