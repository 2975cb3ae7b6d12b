import type { Redis } from 'ioredis';
import { systemClock, type Timer } from '../clock.js';

/** How often a connection is asked whether it still answers. */
const askEveryMs = 500;

/**
 * After this time without an answer, a second connection checks whether the server is still the same. A busy Redis may
 * need longer to answer: its connection is kept.
 */
const silentMs = 500;

const probeTimeoutMs = 1_000;

/**
 * If the server has answered second connections in so many checks in a row, and sent nothing over this one, then something on the way, such as
 * a firewall that has started again, has forgotten the connection. Both ends believe it to be open for a quarter of an hour.
 */
const forgottenAfter = 10;

const noop = (): void => undefined;

const runIdOf = (info: string): string | undefined => /^run_id:(\w+)/m.exec(info)?.[1];

/** Errors are ignored here: the connection detects the loss on its own. That a command timed out is no answer. */
const answersInTime = (redis: Redis): Promise<boolean> =>
  new Promise((resolve) => {
    const silence = setTimeout(() => resolve(false), silentMs).unref();
    const answered = (): void => {
      clearTimeout(silence);
      resolve(true);
    };
    redis.ping().then(answered, ({ message }: Error) => {
      if (message !== 'Command timed out') answered();
    });
  });

/** `gone`: no server listens there, or one with another `runId`. `same`: one with this. undefined: a server that does not answer may be either. */
const serverOf = async (redis: Redis, runId: string | undefined): Promise<'gone' | 'same' | undefined> => {
  const probe = redis.duplicate({
    lazyConnect: true,
    enableReadyCheck: false,
    enableOfflineQueue: true,
    autoResubscribe: false,
    connectTimeout: probeTimeoutMs,
    commandTimeout: probeTimeoutMs,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
    sentinelRetryStrategy: () => null,
  });
  let refused = false;
  probe.on('error', ({ code }: NodeJS.ErrnoException) => (refused ||= code === 'ECONNREFUSED'));
  try {
    await probe.connect();
    const present = runIdOf(await probe.info('server'));
    if (runId === undefined || present === undefined) return undefined;
    return present === runId ? 'same' : 'gone';
  } catch {
    return refused ? 'gone' : undefined;
  } finally {
    probe.disconnect();
  }
};

/**
 * Ends a connection whose Redis is gone though the connection is not. The process that Redis forks to save or to rewrite its
 * log has the connections of its clients too: when Redis is killed meanwhile, they stay open but silent until the fork ends,
 * which may be many seconds later. The connection of a Redis that merely answers late is not ended; one that the network has forgotten is.
 */
export const endWhenServerIsGone = (redis: Redis, forgottenAfterChecks = forgottenAfter): void => {
  let connection = 0;
  let watching: Timer | undefined;
  redis.on('close', () => {
    connection++;
    watching?.cancel();
  });
  redis.on('connect', () => {
    const ownConnection = ++connection;
    let runId: string | undefined;
    let isAsking = false;
    let bytesRead = 0;
    let forgotten = 0;
    const check = async (): Promise<void> => {
      if (connection !== ownConnection || (await answersInTime(redis))) return;
      const server = await serverOf(redis, runId);
      if (connection !== ownConnection) return;
      forgotten = server === 'same' && redis.stream.bytesRead === bytesRead ? forgotten + 1 : 0;
      ({ bytesRead } = redis.stream);
      if (server === 'gone' || forgotten >= forgottenAfterChecks) redis.disconnect(true);
    };
    // Sent before any other command: a connection that has subscribed to a channel may not send INFO.
    void redis.info('server').then((info) => (runId = runIdOf(info)), noop);
    watching?.cancel();
    watching = systemClock.every(askEveryMs, () => {
      if (isAsking) return;
      isAsking = true;
      void check().finally(() => (isAsking = false));
    });
  });
};
