import { type Clock, createLogger, StopDeadline } from '@lanyard/service';
import type { Redis } from 'ioredis';
import { awakeWindowMs } from '../src/limits.js';
import { Heard } from '../src/sessions/heard.js';
import { Nudges } from '../src/sessions/nudges.js';
import { Pauses } from '../src/sessions/pauses.js';
import { SessionStore } from '../src/sessions/session-store.js';
import { Sessions } from '../src/sessions/sessions.js';

/** The sessions of a replica without anything else of it. Nudges of others do not arrive. */
export const sessionParts = (redis: Redis, redisPrefix: string, replicaId: string, clock: Clock) => {
  const config = { redisPrefix, replicaId, awakeMs: awakeWindowMs };
  const logger = createLogger({ app: 'test', replicaId, level: 'silent' });
  const store = new SessionStore(redis, config);
  const pauses = new Pauses(clock);
  const sessions = new Sessions(store, new Nudges(redis, redis, config), pauses, config, clock, logger);
  const newHeard = (): Heard => new Heard(sessions, clock, logger, new StopDeadline(logger));
  return { store, pauses, sessions, newHeard };
};
