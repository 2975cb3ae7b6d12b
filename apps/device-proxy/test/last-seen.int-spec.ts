import { infrastructure, isolate, type Isolation, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { Session } from '../src/sessions/session.js';
import { registered } from './registered.js';
import { sessionParts } from './session-parts.js';

describe('last-seen times', () => {
  const clock = new TestClock(Date.now());
  let isolation: Isolation;
  let redis: Redis;
  let parts: ReturnType<typeof sessionParts>;

  beforeAll(async () => {
    isolation = await isolate('last-seen');
    redis = new Redis(infrastructure().redisUrl);
    parts = sessionParts(redis, `${isolation.redisPrefix}dp:`, 'dp-heard', clock);
  });
  afterAll(async () => {
    redis.disconnect();
    await isolation.drop();
  });

  const open = (address: string): Promise<Session> => parts.sessions.open(registered(address, clock.now()));

  const stored = async ({ deviceId }: Session): Promise<number | undefined> =>
    (await parts.store.read(deviceId))?.lastSeenAtMs;

  it('is written once for all messages since, and again for those after that', async () => {
    const lastSeen = parts.newLastSeen();
    const session = await open('192.0.2.1:1');
    for (let n = 0; n < 2; n++) {
      for (let message = 0; message < 3; message++) {
        await clock.advance(1);
        lastSeen.recordMessage(session);
        lastSeen.markUnwritten(session);
      }
      await lastSeen.flush();
      expect(await stored(session)).toBe(clock.now());
    }
  });

  it('is written the next time when a write failed, of every device that was to be written', async () => {
    const lastSeen = parts.newLastSeen();
    const all = [await open('192.0.2.2:1'), await open('192.0.2.3:1'), await open('192.0.2.4:1')];
    let fails = true;
    lastSeen.setObserveSequenceSource((session) => {
      if (fails && session === all[1]) throw new Error('position unknown');
      return '';
    });
    await clock.advance(5);
    for (const session of all) lastSeen.recordMessage(session);
    await lastSeen.flush();
    fails = false;
    await clock.advance(5);
    for (const session of all) lastSeen.recordMessage(session);
    await lastSeen.flush();
    expect(await Promise.all(all.map(stored))).toEqual(all.map(() => clock.now()));
  });

  it('from before the clock was set back shows no device in queue mode as awake', async () => {
    const { sessions } = parts;
    const session = await open('192.0.2.5:1');
    session.data = { ...session.data, queueMode: true };
    session.isRegistrationAnswered = true;
    expect(sessions.isListening(session)).toBe(true);
    clock.adjust(-3_600_000);
    try {
      expect(sessions.isListening(session)).toBe(false);
      parts.newLastSeen().recordMessage(session);
      expect(sessions.isListening(session)).toBe(true);
    } finally {
      clock.adjust(3_600_000);
    }
  });
});
