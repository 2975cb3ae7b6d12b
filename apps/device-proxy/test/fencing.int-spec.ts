import { newId } from '@lanyard/service';
import { infrastructure, eventually, isolate, type Isolation, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { stallMs, sweepLeaseMs } from '../src/sessions/limits.js';
import type { Session } from '../src/sessions/session.js';
import type { StallDetector } from '../src/sessions/stall-detector.js';
import { SessionStore } from '../src/sessions/session-store.js';
import type { Sessions } from '../src/sessions/sessions.js';
import { registered as newSessionAt } from './registered.js';
import { sessionParts } from './session-parts.js';

/** Time passes without any timer firing, as in a process that was stopped. */
class StandingClock extends TestClock {
  private stoodMs = 0;

  override now(): number {
    return super.now() + this.stoodMs;
  }

  standStill(ms: number): void {
    this.stoodMs += ms;
  }
}

/** Two replicas without wake-ups: each must detect what the other did while it was suspended. */
describe('the fence between replicas', () => {
  const accountId = newId();
  const clock = new StandingClock(Date.now());
  const watched: StallDetector[] = [];
  let isolation: Isolation;
  let redis: Redis;
  let a: Sessions;
  let b: Sessions;

  const replica = (name: string): Sessions => {
    const { stallDetector, sessions } = sessionParts(redis, `${isolation.redisPrefix}dp:`, name, clock);
    stallDetector.onApplicationBootstrap();
    watched.push(stallDetector);
    return sessions;
  };

  beforeAll(async () => {
    isolation = await isolate('fencing');
    redis = new Redis(infrastructure().redisUrl);
    [a, b] = [replica('dp-a'), replica('dp-b')];
  });
  afterAll(async () => {
    for (const stallDetector of watched) stallDetector.beforeApplicationShutdown();
    redis.disconnect();
    await isolation.drop();
  });

  const registered = async (address: string, deviceId = newId()) => {
    const session = await a.open({ ...newSessionAt(address, clock.now()), deviceId, accountId });
    return { session, lookup: { by: 'registration' as const, registrationId: session.registrationId } };
  };

  const taken = (sessions: Sessions, lookup: Awaited<ReturnType<typeof registered>>['lookup'], address: string) =>
    sessions.withSession(lookup, address, (session) => Promise.resolve(session));

  it('before a command leaves, the owner asks whether it still is one', async () => {
    const { session, lookup } = await registered('192.0.2.1:1');
    expect(await a.confirmOwnership(session)).toBe(true);
    const later = await taken(b, lookup, '192.0.2.1:1');
    expect(later?.epoch).toBeGreaterThan(session.epoch);
    expect(a.get(session.deviceId)).toBe(session);
    expect(await a.confirmOwnership(session)).toBe(false);
    expect([a.get(session.deviceId), session.isOver]).toEqual([undefined, true]);
  });

  it('a session of which something could not be learnt is taken again by the next message', async () => {
    const { session, lookup } = await registered('192.0.2.8:1');
    const third = replica('dp-c');
    let away = true;
    const began: (boolean | undefined)[] = [];
    third.listen({
      began: async ({ deviceId }) => {
        began.push(third.atAddress(accountId, '192.0.2.8:1') !== undefined || third.get(deviceId) === undefined);
        if (away) throw new Error('PostgreSQL is away');
      },
    });
    await expect(taken(third, lookup, '192.0.2.8:1')).rejects.toThrow('PostgreSQL is away');
    expect(third.get(session.deviceId)).toBeUndefined();
    away = false;
    expect((await taken(third, lookup, '192.0.2.8:1'))?.epoch).toBeGreaterThan(session.epoch + 1);
    // Meanwhile it is there, but no value of it counts yet.
    expect(began).toEqual([false, false]);
    expect(third.atAddress(accountId, '192.0.2.8:1')?.deviceId).toBe(session.deviceId);
  });

  it('a session that passes on while it is loaded begins nothing here after its end', async () => {
    const { session, lookup } = await registered('192.0.2.21:1');
    const third = replica('dp-d');
    const calls: string[] = [];
    third.listen({
      began: async ({ deviceId }) =>
        third.dropIfOlder(deviceId, (await taken(b, lookup, '192.0.2.21:1'))?.epoch ?? Infinity),
    });
    third.listen({ began: () => void calls.push('began'), ended: () => void calls.push('ended') });
    expect((await taken(third, lookup, '192.0.2.21:1'))?.isOver).toBe(true);
    expect([calls, third.get(session.deviceId)]).toEqual([['ended'], undefined]);
  });

  it('of a session that ended only its last epoch stays, for a day; the next one is higher', async () => {
    const prefix = `${isolation.redisPrefix}ended:`;
    const store = new SessionStore(redis, { redisPrefix: prefix, replicaId: 'dp-e' });
    const deviceId = newId();
    const openNow = () => store.open({ ...newSessionAt('192.0.2.9:1', clock.now()), deviceId, accountId });
    await openNow();
    for (let n = 0; n < 100; n++) await store.takeOver(deviceId, { address: '192.0.2.9:2' });
    const last = (await store.takeOver(deviceId))?.session.epoch ?? 0;
    expect(await store.close(deviceId, last)).toBe(true);
    expect(await redis.keys(`${prefix}*`)).toEqual([store.keys.epoch(deviceId)]);
    const ttl = await redis.ttl(store.keys.epoch(deviceId));
    expect(ttl).toBeGreaterThan(86_000);
    expect(ttl).toBeLessThan(86_400 + 200);
    expect((await openNow()).epoch).toBeGreaterThan(last);
  });

  it('a renewal of a session that has passed on is refused', async () => {
    const { session, lookup } = await registered('192.0.2.2:1');
    await taken(b, lookup, '192.0.2.2:1');
    expect(await a.renew(session, clock.now(), clock.now() + 600_000)).toBe(false);
    expect(a.get(session.deviceId)).toBeUndefined();
  });

  it('a session that passes on just after its new address was stored is not found here any more', async () => {
    const [from, to] = ['192.0.2.20:1', '192.0.2.20:2'];
    const { session, lookup } = await registered(from);
    const update = a.store.update.bind(a.store);
    a.store.update = async (...change) => {
      const updated = await update(...change);
      a.dropIfOlder(session.deviceId, (await taken(b, lookup, to))?.epoch ?? 0);
      return updated;
    };
    expect(await a.move(session, to)).toBe(false);
    a.store.update = update;
    expect([session.isOver, a.get(session.deviceId), a.hasAt(accountId, to)]).toEqual([true, undefined, false]);
  });

  it('many renewals at once: each is judged by itself', async () => {
    const all = await Promise.all(Array.from({ length: 40 }, (_, n) => registered(`192.0.2.3:${n + 1}`)));
    await Promise.all(all.map(({ lookup }, n) => (n % 2 === 0 ? taken(b, lookup, `192.0.2.3:${n + 1}`) : undefined)));
    const renewed = await Promise.all(all.map(({ session }) => a.renew(session, clock.now(), clock.now() + 900_000)));
    expect(renewed).toEqual(all.map((_, n) => n % 2 === 1));
    const stored = await Promise.all(all.map(({ session }) => a.store.read(session.deviceId)));
    expect(stored.map((one) => one?.expiresAtMs === clock.now() + 900_000)).toEqual(renewed);
  });

  it('many registrations at once: one that cannot be stored fails alone', async () => {
    const devices = Array.from({ length: 250 }, () => newId());
    const broken = devices[120] as string;
    await redis.hset(a.store.keys.observations(broken), '/3/0', 'not what this service writes');
    const all = await Promise.allSettled(devices.map((id, n) => registered(`192.0.2.5:${n + 1}`, id)));
    expect(all.map(({ status }) => status === 'fulfilled')).toEqual(devices.map((id) => id !== broken));
    const stored = await Promise.all(devices.map((id) => a.store.read(id)));
    expect(stored.map((one) => one?.deviceId)).toEqual(devices.map((id) => (id === broken ? undefined : id)));
    expect(stored.map((one) => one?.epoch)).toEqual(devices.map((id) => a.get(id)?.epoch));

    await redis.del(a.store.keys.observations(broken));
    const again = await Promise.all(devices.map((id, n) => registered(`192.0.2.6:${n + 1}`, id)));
    const epochsBefore = stored.map((one) => one?.epoch ?? 0);
    expect(again.every(({ session }, n) => session.epoch > (epochsBefore[n] ?? 0))).toBe(true);
  });

  it('many observations at once: each is judged by itself', async () => {
    const all = await Promise.all(Array.from({ length: 30 }, (_, n) => registered(`192.0.2.7:${n + 1}`)));
    const observed = (n: number, token: string) => {
      const { deviceId, epoch } = all[n]!.session;
      return a.store.putObservation({ deviceId, epoch }, { path: '/3303/0/5700', token });
    };
    const token = (n: number, round: number): string =>
      `${newId().slice(0, 12)}${n.toString(16).padStart(2, '0')}0${round}`;
    const first = all.map((_, n) => token(n, 1));
    expect(await Promise.all(first.map((text, n) => observed(n, text)))).toEqual(first.map(() => true));
    await taken(b, all[3]!.lookup, '192.0.2.7:4');
    await redis.hset(
      a.store.keys.observations(all[5]!.session.deviceId),
      '/3303/0/5700',
      'not what this service writes',
    );
    const second = all.map((_, n) => token(n, 2));
    const outcomes = await Promise.allSettled(second.map((text, n) => observed(n, text)));
    expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : 'failed'))).toEqual(
      all.map((_, n) => (n === 5 ? 'failed' : n !== 3)),
    );
    const found = await Promise.all(second.map((text) => a.store.find({ by: 'token', token: text })));
    expect(found).toEqual(all.map(({ session }, n) => (n === 3 || n === 5 ? undefined : session.deviceId)));
    expect(await a.store.find({ by: 'token', token: first[3]! })).toBe(all[3]!.session.deviceId);
    expect(await a.store.find({ by: 'token', token: first[4]! })).toBeUndefined();
    // Over before it was stored: it stays over.
    const { deviceId, epoch } = all[7]!.session;
    const short = { path: '/3303/0/5700', token: token(7, 3) };
    const both = [
      a.store.putObservation({ deviceId, epoch }, short),
      a.store.dropObservation({ deviceId, epoch }, short),
    ];
    expect(await Promise.all(both)).toEqual([true, true]);
    expect((await a.store.read(deviceId))?.observations).toEqual([]);
  });

  it('a replica that was suspended trusts none of its copies until Redis has confirmed them', async () => {
    const [kept, lost] = await Promise.all([registered('192.0.2.4:1'), registered('192.0.2.4:2')]);
    await taken(b, lost.lookup, '192.0.2.4:2');
    clock.standStill(10 * stallMs);
    expect(a.atAddress(accountId, '192.0.2.4:2')).toBeUndefined();
    await eventually(() => {
      expect(a.atAddress(accountId, '192.0.2.4:1')).toBe(kept.session);
      expect(a.get(lost.session.deviceId)).toBeUndefined();
    });
    // A message of the device that waited meanwhile: it is this replica's again, in an epoch of its own.
    const again = await taken(a, lost.lookup, '192.0.2.4:2');
    expect(again?.epoch).toBeGreaterThan(lost.session.epoch + 1);
  });

  it('a session that Redis has lost expires after its lifetime, unless its device registers again', async () => {
    const prefix = `${isolation.redisPrefix}lost:`;
    const { store, stallDetector, sessions, newLastSeen } = sessionParts(redis, prefix, 'dp-l', clock);
    stallDetector.onApplicationBootstrap();
    watched.push(stallDetector);
    const openAt = (address: string) => sessions.open(newSessionAt(address, clock.now()));
    const [silent, heard, back] = [
      await openAt('192.0.2.30:1'),
      await openAt('192.0.2.30:2'),
      await openAt('192.0.2.30:3'),
    ];
    const [asked, renewed, moved, leaving] = [
      await openAt('192.0.2.30:5'),
      await openAt('192.0.2.30:6'),
      await openAt('192.0.2.30:7'),
      await openAt('192.0.2.30:8'),
    ];
    const ended = await openAt('192.0.2.30:4');
    await redis.del(await redis.keys(`${prefix}*`));
    // As if another replica had taken it over and ended it: Redis has not lost this one.
    await redis.set(store.keys.epoch(ended.deviceId), ended.epoch + 1);
    const later = { deviceId: back.deviceId, expiresAtMs: clock.now() + 900_000 };
    await store.open({ ...newSessionAt('192.0.2.30:3', clock.now()), ...later });
    // The first epoch is the time in seconds, which may be the same as before.
    const epoch = (await store.takeOver(back.deviceId))?.session.epoch;

    const lastSeen = newLastSeen();
    lastSeen.recordMessage(heard);
    await lastSeen.flush();
    expect(heard.isOver).toBe(true);
    expect(await sessions.confirmOwnership(asked)).toBe(false);
    expect(await sessions.renew(renewed, clock.now(), renewed.expiresAtMs)).toBe(false);
    expect(await sessions.move(moved, '192.0.2.30:9')).toBe(false);
    expect(await sessions.claimEnd(leaving, 'device')).toBeUndefined();
    expect([asked, renewed, moved, leaving].every(({ isOver }) => isOver)).toBe(true);
    clock.standStill(stallMs);
    stallDetector.detect();
    await eventually(() => expect(sessions.size).toBe(0));

    const endsAt = async (nowMs: number) => store.claimExpired(nowMs, nowMs + sweepLeaseMs, 100);
    expect(await endsAt(silent.expiresAtMs - 1)).toEqual([]);
    const ends = await endsAt(silent.expiresAtMs);
    const states = ends.map(({ session, reason }) => [session.deviceId, session.epoch, session.registrationId, reason]);
    const kept = [silent, heard, asked, renewed, moved, leaving];
    const expected = kept.map((one) => [one.deviceId, one.epoch, one.registrationId, 'lifetime']);
    expect(states.sort()).toEqual(expected.sort());
    expect((await store.read(back.deviceId))?.epoch).toBe(epoch);
  });

  describe('after a failover that lost the latest writes of Redis', () => {
    const setBack = async ({ deviceId, epoch, expiresAtMs }: Session, lost: { epochs: number; ms: number }) => {
      const { keys } = a.store;
      await redis.hset(keys.session(deviceId), { epoch: epoch - lost.epochs, expires: expiresAtMs - lost.ms });
      await redis.zadd(keys.expiry, expiresAtMs - lost.ms, deviceId);
    };
    const storedExpiry = async ({ deviceId }: Session) => Number(await redis.zscore(a.store.keys.expiry, deviceId));

    it('a renewed registration lasts as long as its device was told', async () => {
      const { session } = await registered('192.0.2.40:1');
      expect(await a.renew(session, clock.now(), session.expiresAtMs + 60_000)).toBe(true);
      await setBack(session, { epochs: 0, ms: 60_000 });
      clock.standStill(stallMs);
      expect(a.atAddress(accountId, '192.0.2.40:1')).toBeUndefined();
      await eventually(async () => expect(await storedExpiry(session)).toBe(session.expiresAtMs));
      expect(await a.store.read(session.deviceId)).toMatchObject({ expiresAtMs: session.expiresAtMs });
      expect(a.get(session.deviceId)).toBe(session);
    });

    it('a session expires with the last epoch that was announced, unless its device comes back', async () => {
      const { session, lookup } = await registered('192.0.2.40:2');
      const { deviceId, epoch, expiresAtMs } = session;
      await setBack(session, { epochs: 1, ms: 60_000 });
      expect(await a.confirmOwnership(session)).toBe(false);
      expect(a.get(deviceId)).toBeUndefined();
      expect(await a.store.read(deviceId)).toMatchObject({ epoch, expiresAtMs });
      expect(await storedExpiry(session)).toBe(expiresAtMs);
      expect((await taken(b, lookup, '192.0.2.40:2'))?.epoch).toBeGreaterThan(epoch);
    });
  });

  describe('of a session that ends', () => {
    const swept = async (deviceId: string, nowMs: number) => {
      const all = await b.store.claimExpired(nowMs, nowMs + sweepLeaseMs, 10_000);
      return all.find(({ session }) => session.deviceId === deviceId);
    };

    it('is claimed: no message revives it, and if its replica dies another one learns why it ended', async () => {
      const { session, lookup } = await registered('192.0.2.10:1');
      const { deviceId } = session;
      const claimedAtMs = clock.now();
      expect(await a.claimEnd(session, 'suspended')).toBe(claimedAtMs);
      expect(await taken(b, lookup, '192.0.2.10:1')).toBeUndefined();
      expect(await swept(deviceId, claimedAtMs + sweepLeaseMs - 1)).toBeUndefined();
      expect(await a.claimEnd(session, 'suspended')).toBe(claimedAtMs);
      expect(await swept(deviceId, claimedAtMs + sweepLeaseMs)).toMatchObject({
        owner: 'dp-a',
        reason: 'suspended',
        endedAtMs: claimedAtMs,
      });
      expect(await a.close(session)).toBe(true);
    });

    it('is claimed by the replica that has it, before its lifetime is over', async () => {
      const { session, lookup } = await registered('192.0.2.10:2');
      const { deviceId } = session;
      const later = (await taken(b, lookup, '192.0.2.10:2'))!;
      expect(await a.claimEnd(session, 'device')).toBeUndefined();
      expect(a.get(deviceId)).toBeUndefined();
      const expired = { owner: 'dp-b', reason: 'lifetime', endedAtMs: later.expiresAtMs };
      expect(await swept(deviceId, later.expiresAtMs)).toMatchObject(expired);
      expect(await b.claimEnd(later, 'device')).toBeUndefined();
      // It has the time of the first claim, also when the replica died that claimed it.
      expect(await swept(deviceId, later.expiresAtMs + sweepLeaseMs)).toMatchObject(expired);
    });
  });
});
