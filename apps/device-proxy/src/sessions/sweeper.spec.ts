import { expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { sweepPeriodMs } from './limits.js';
import type { SessionFacts } from './session-facts.js';
import type { Ending } from './session-store.js';
import type { RegistrationData, Session } from './session.js';
import type { Sessions } from './sessions.js';
import { Sweeper } from './sweeper.js';
import type { WakeUps } from './wake-ups.js';

it('what depends on a session ends with it, also if Redis refuses the wake-up of its replica', async () => {
  const clock = new TestClock();
  const logger = createLogger({ app: 'device-proxy', replicaId: 'test', level: 'silent' });
  const ending: Ending = {
    session: {
      deviceId: 'a gateway',
      accountId: 'a',
      registrationId: 'r',
      epoch: 1,
      address: '192.0.2.1:5683',
      lastSeenAtMs: clock.now(),
      expiresAtMs: clock.now(),
      data: { lwm2mVersion: '1.1', binding: 'U', links: [], attributes: {} } as unknown as RegistrationData,
      observations: [],
    },
    owner: 'another replica',
    reason: 'deleted',
    endedAtMs: clock.now(),
  };
  const told: string[] = [];
  const sessions = {
    store: { claimExpired: () => Promise.resolve([ending]), close: () => Promise.resolve(true) },
    tellClosed: ({ deviceId }: Session) => Promise.resolve(void told.push(deviceId)),
  };
  const sweeper = new Sweeper(
    sessions as unknown as Sessions,
    { announceEnd: () => Promise.resolve() } as unknown as SessionFacts,
    { send: () => Promise.reject(new Error('refused')) } as unknown as WakeUps,
  );
  Object.assign(sweeper, { clock, logger });
  sweeper.onApplicationBootstrap();
  await clock.advance(sweepPeriodMs);
  expect(told).toEqual(['a gateway']);
});
