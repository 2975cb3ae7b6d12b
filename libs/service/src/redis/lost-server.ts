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

const noop = (): void => undefined;

const runIdOf = (info: string): string | undefined => /^run_id:(\w+)/m.exec(info)?.[1];

/** Errors are ignored here: the connection detects the loss on its own. */
const answersInTime = (redis: Redis): Promise<boolean> =>
  new Promise((resolve) => {
    const silence = setTimeout(() => resolve(false), silentMs).unref();
    const answered = (): void => {
      clearTimeout(silence);
      resolve(true);
    };
    redis.ping().then(answered, answered);
  });

/** Whether no server listens there, or one with another `runId`. A server that does not answer may be the same one. */
const isGone = async (redis: Redis, runId: string | undefined): Promise<boolean> => {
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
    return runId !== undefined && present !== undefined && present !== runId;
  } catch {
    return refused;
  } finally {
    probe.disconnect();
  }
};

/**
 * Ends a connection whose Redis is gone though the connection is not. The process that Redis forks to save or to rewrite its
 * log has the connections of its clients too: when Redis is killed meanwhile, they stay open but silent until the fork ends,
 * which may be many seconds later. The connection of a Redis that merely answers late is not ended.
 */
export const endWhenServerIsGone = (redis: Redis): void => {
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
    const check = async (): Promise<void> => {
      if (connection !== ownConnection || (await answersInTime(redis))) return;
      if ((await isGone(redis, runId)) && connection === ownConnection) redis.disconnect(true);
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
