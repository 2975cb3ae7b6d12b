import { type Clock, createLogger, StopDeadline } from '@lanyard/service';
import type { Redis } from 'ioredis';
import { awakeWindowMs } from '../src/limits.js';
import { LastSeen } from '../src/sessions/last-seen.js';
import { WakeUps } from '../src/sessions/wake-ups.js';
import { StallDetector } from '../src/sessions/stall-detector.js';
import { SessionStore } from '../src/sessions/session-store.js';
import { Sessions } from '../src/sessions/sessions.js';

/** The session providers of one replica alone. Wake-ups from other replicas do not arrive. */
export const sessionParts = (redis: Redis, redisPrefix: string, replicaId: string, clock: Clock) => {
  const config = { redisPrefix, replicaId, awakeMs: awakeWindowMs };
  const logger = createLogger({ app: 'test', replicaId, level: 'silent' });
  const store = new SessionStore(redis, config);
  const stallDetector = new StallDetector(clock);
  const sessions = new Sessions(store, new WakeUps(redis, redis, config), stallDetector, config, clock, logger);
  const newLastSeen = (): LastSeen => new LastSeen(sessions, clock, logger, new StopDeadline(logger));
  return { store, stallDetector, sessions, newLastSeen };
};
