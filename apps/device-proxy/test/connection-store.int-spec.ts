import { randomBytes } from 'node:crypto';
import type { ConnectionState } from '@lanyard/dtls';
import { createLogger, type EncryptionKeys, newId, systemClock } from '@lanyard/service';
import { infrastructure, isolate, type Isolation, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { ConnectionStore } from '../src/connections/connection-store.js';
import { connectionKeys } from '../src/connections/keys.js';
import { slotLeaseMs } from '../src/connections/limits.js';
import { ReplicaSlots } from '../src/connections/replica-slots.js';
import { ReplicaTime } from './replica-time.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const kept = { keptMs: 60_000, credential: { id: newId(), serials: ['0a'] } };

describe('states of DTLS connections in Redis', () => {
  let isolation: Isolation;
  let redis: Redis;
  const running: ReplicaSlots[] = [];

  beforeAll(async () => {
    isolation = await isolate('connections');
    redis = new Redis(infrastructure().redisUrl);
  });
  afterAll(async () => {
    await Promise.all(running.map((slots) => slots.release()));
    redis.disconnect();
    await isolation.drop();
  });

  const key = randomBytes(32);
  const prefix = (): string => `${isolation.redisPrefix}dp:`;

  const replica = async (encryptionKey: EncryptionKeys = key) => {
    const time = new ReplicaTime();
    const slots = new ReplicaSlots(redis, { redisPrefix: prefix(), replicaId: newId() }, time, logger);
    await slots.hold('127.0.0.1:1');
    running.push(slots);
    const secrets = { encryptionKey } as ConstructorParameters<typeof ConnectionStore>[1]['secrets'];
    return { time, slots, store: new ConnectionStore(redis, { redisPrefix: prefix(), secrets }, slots, systemClock) };
  };

  /** As SIGKILL leaves it, once its lease is over. */
  const dies = async ({ time, slots }: Awaited<ReturnType<typeof replica>>): Promise<void> => {
    // It would take its slot again at its next renewal.
    time.end();
    await redis.hdel(connectionKeys(prefix()).slots, slots.owner.split(':')[0] as string);
  };

  const stateOf = (connectionId: Buffer, sendSequence = 5): ConnectionState => ({
    id: connectionId.toString('hex'),
    role: 'server',
    suite: 0xc0a8,
    keys: randomBytes(40),
    connectionId,
    peerConnectionId: Buffer.alloc(0),
    sendSequence,
    receivedMax: 3,
    sendBytesMax: 16_384,
    receiveBytesMax: 16_384,
    remote: { address: '192.0.2.1', port: 5_684 },
    peer: { kind: 'psk', identity: Buffer.from('device') },
  });

  it('a saved connection is taken over when its owner has no lease, whole and with a later epoch', async () => {
    const [a, b] = [await replica(), await replica()];
    const state = stateOf(a.slots.newConnectionId());
    const epoch = a.store.firstEpoch();
    expect(await a.store.save({ ...kept, state, epoch, isNew: true })).toBe(true);
    expect(await b.store.takeOver(state.id)).toEqual({ kind: 'elsewhere', owner: a.slots.owner });
    await dies(a);
    const taken = await b.store.takeOver(state.id);
    expect(taken).toMatchObject({ kind: 'taken', saved: { state, credential: kept.credential } });
    if (taken.kind !== 'taken') throw new Error('not taken');
    expect([taken.epoch > epoch, taken.takeOvers]).toEqual([true, taken.epoch - epoch]);
    // The former owner can neither save nor keep it.
    expect(await a.store.save({ ...kept, state: { ...state, sendSequence: 9 }, epoch })).toBe(false);
    expect(await a.store.confirm({ id: state.id, epoch })).toBe(false);
    await a.store.remove({ id: state.id, epoch });
    expect(await b.store.confirm({ id: state.id, epoch: taken.epoch })).toBe(true);
  });

  it('two take-overs without a save between them have different counts; a save begins a new count', async () => {
    const [a, b, c, d] = [await replica(), await replica(), await replica(), await replica()];
    const state = stateOf(a.slots.newConnectionId());
    await a.store.save({ ...kept, state, epoch: a.store.firstEpoch(), isNew: true });
    await dies(a);
    const first = await b.store.takeOver(state.id);
    await dies(b);
    const second = await c.store.takeOver(state.id);
    if (first.kind !== 'taken' || second.kind !== 'taken') throw new Error('not taken');
    expect(second.takeOvers).toBeGreaterThan(first.takeOvers);
    expect(await c.store.save({ ...kept, state: { ...state, sendSequence: 77 }, epoch: second.epoch })).toBe(true);
    await dies(c);
    const third = await d.store.takeOver(state.id);
    expect(third).toMatchObject({ takeOvers: expect.any(Number), saved: { state: { sendSequence: 77 } } });
    if (third.kind !== 'taken') throw new Error('not taken');
    expect(third.takeOvers).toBe(third.epoch - second.epoch);
  });

  it('of many replicas that ask at once, one takes it', async () => {
    const a = await replica();
    const others = await Promise.all(Array.from({ length: 5 }, () => replica()));
    const state = stateOf(a.slots.newConnectionId());
    await a.store.save({ ...kept, state, epoch: a.store.firstEpoch(), isNew: true });
    await dies(a);
    const results = await Promise.all(others.map(({ store }) => store.takeOver(state.id)));
    expect(results.filter(({ kind }) => kind === 'taken')).toHaveLength(1);
    expect(results.filter(({ kind }) => kind === 'elsewhere')).toHaveLength(4);
  });

  it('when Redis loses the take-over, the next one still skips further', async () => {
    const [a, b] = [await replica(), await replica()];
    const state = stateOf(a.slots.newConnectionId());
    const hash = connectionKeys(prefix()).connection(state.id);
    await a.store.save({ ...kept, state, epoch: a.store.firstEpoch() - 100, isNew: true });
    await dies(a);
    const before = await redis.hgetall(hash);
    const first = await b.store.takeOver(state.id);
    await redis.hset(hash, before);
    const later = await replica(key);
    const inASecond = new ConnectionStore(
      redis,
      { redisPrefix: prefix(), secrets: { encryptionKey: key } as never },
      later.slots,
      new TestClock(Date.now() + 1_000),
    );
    const second = await inASecond.takeOver(state.id);
    if (first.kind !== 'taken' || second.kind !== 'taken') throw new Error('not taken');
    expect(second.takeOvers).toBeGreaterThan(first.takeOvers);
  });

  it('the stored text contains no key and no identity, and opens only under its own id and encryption key', async () => {
    const [a, b, other] = [await replica(), await replica(), await replica(randomBytes(32))];
    const state = stateOf(a.slots.newConnectionId());
    const stranger = stateOf(a.slots.newConnectionId());
    const save = { ...kept, epoch: a.store.firstEpoch(), isNew: true };
    await Promise.all([a.store.save({ ...save, state }), a.store.save({ ...save, state: stranger })]);
    const keys = connectionKeys(prefix());
    const stored = await redis.hgetall(keys.connection(state.id));
    const text = Buffer.from((stored.state as string).slice(9), 'base64').toString('latin1');
    for (const secret of [state.keys.toString('latin1'), 'device', kept.credential.id])
      expect(text.includes(secret)).toBe(false);
    await redis.hset(keys.connection(stranger.id), { state: stored.state as string });
    await dies(a);
    expect(await b.store.takeOver(stranger.id)).toMatchObject({ kind: 'unreadable' });
    await dies(b);
    expect(await other.store.takeOver(state.id)).toMatchObject({ kind: 'unreadable' });
  });

  it('states sealed with an older key open after a rotation', async () => {
    const [a, b] = [await replica(), await replica([randomBytes(32), key])];
    const state = stateOf(a.slots.newConnectionId());
    await a.store.save({ ...kept, state, epoch: a.store.firstEpoch(), isNew: true });
    await dies(a);
    expect(await b.store.takeOver(state.id)).toMatchObject({ kind: 'taken' });
  });

  it('a new connection never replaces one with the same id, and what is not there is not taken', async () => {
    const [a, b] = [await replica(), await replica()];
    const state = stateOf(a.slots.newConnectionId());
    const save = { ...kept, state, epoch: a.store.firstEpoch(), isNew: true };
    const beganMs = performance.now();
    expect([await a.store.save(save), await b.store.save(save)]).toEqual([true, false]);
    // Again by the same replica: the reply was lost.
    expect(await a.store.save(save)).toBe(true);
    const ttl = await redis.pttl(connectionKeys(prefix()).connection(state.id));
    const tookMs = performance.now() - beganMs;
    expect([ttl > 59_000 - tookMs, ttl <= 60_000]).toEqual([true, true]);
    await a.store.remove({ id: state.id, epoch: save.epoch });
    expect(await a.store.takeOver(state.id)).toEqual({ kind: 'none' });
    // After a loss of data, Redis gets it again.
    expect(await a.store.confirm({ id: state.id, epoch: save.epoch })).toBe(true);
    expect(await a.store.save({ ...save, isNew: false })).toBe(true);
  });
});

describe('slots of replicas', () => {
  let isolation: Isolation;
  let redis: Redis;
  const clock = new TestClock(Date.now());

  beforeAll(async () => {
    isolation = await isolate('slots');
    redis = new Redis(infrastructure().redisUrl);
  });
  afterAll(async () => {
    redis.disconnect();
    await isolation.drop();
  });

  const slots = (replicaId: string = newId()): ReplicaSlots =>
    new ReplicaSlots(redis, { redisPrefix: isolation.redisPrefix, replicaId }, clock, logger);
  const slotOf = (one: ReplicaSlots): number => one.newConnectionId().readUInt16BE(0);
  const stored = (one: ReplicaSlots) => ({
    key: connectionKeys(isolation.redisPrefix).slots,
    field: String(slotOf(one)),
  });

  it('differ while leases last, and are used again when they have ended', async () => {
    const all = [slots(), slots(), slots()];
    for (const one of all) await one.hold('10.0.0.1:5685');
    expect(new Set(all.map(slotOf)).size).toBe(3);
    const [a, b, c] = all as [ReplicaSlots, ReplicaSlots, ReplicaSlots];
    expect(c.makerOf(a.newConnectionId())).toEqual({ owner: a.owner, peerPortAddress: '10.0.0.1:5685' });
    expect(c.replica(a.owner)).toBeDefined();
    const { key, field } = stored(a);
    const lease = (await redis.hget(key, field)) as string;
    expect(Number(lease.split(' ')[0]) - Date.now()).toBeLessThanOrEqual(slotLeaseMs + 1_000);
    // The lease ends without a renewal, and another replica takes the slot.
    await redis.hset(key, field, `1${lease.slice(lease.indexOf(' '))}`);
    const d = slots();
    await d.hold();
    expect(slotOf(d)).toBe(slotOf(a));
    let lapses = 0;
    a.onLapse(() => lapses++);
    const before = a.owner;
    for (const one of all) await one.hold('10.0.0.1:5685');
    expect([lapses, a.owner === before, slotOf(a) === slotOf(d)]).toEqual([1, false, false]);
    expect(c.replica(before)).toBeUndefined();
    await Promise.all([...all, d].map((one) => one.release()));
    expect(await redis.hlen(key)).toBe(0);
    expect(() => b.owner).toThrow('holds no slot');
  });

  it('of a process that was killed are free when the same replica begins again', async () => {
    const [before, other] = [slots('dp-0'), slots('dp-1')];
    await before.hold();
    await other.hold();
    const owner = before.owner;
    const after = slots('dp-0');
    await after.hold();
    await other.refresh();
    expect([other.replica(owner), other.replica(after.owner)]).toMatchObject([undefined, { owner: after.owner }]);
    // Its renewal does not end those of others.
    await after.refresh();
    await other.refresh();
    expect(other.replica(after.owner)).toBeDefined();
    await Promise.all([after.release(), other.release()]);
  });
});
