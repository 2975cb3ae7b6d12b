import type { Logger } from '@lanyard/service';
import kafkajs, { type logCreator } from 'kafkajs';

/** The same message is logged once in this time: a broker that is down causes thousands. */
const repeatAfterMs = 10_000;

/** Passes kafkajs's own log to the logger of the service. What kafkajs retries by itself is a warning, not an error. */
export const logTo = (logger: Logger): logCreator => {
  const lastAt = new Map<string, number>();
  return () =>
    ({ level, namespace, log: { message, error, broker, groupId } }) => {
      const text = `${namespace}: ${message}`;
      const now = performance.now();
      if (now - (lastAt.get(text) ?? -Infinity) < repeatAfterMs) return;
      if (lastAt.size > 1_000) lastAt.clear();
      lastAt.set(text, now);
      const details = { error: error as unknown, broker: broker as unknown, groupId: groupId as unknown };
      if (level <= kafkajs.logLevel.WARN) logger.warn(details, text);
      else logger.debug(details, text);
    };
};
