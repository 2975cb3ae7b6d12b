import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, newId, type RunningService } from '@lanyard/service';
import { infrastructure, eventsOf, eventually, parseMessage, TestClock } from '@lanyard/testing';
import type { AppendNotifier } from '../src/intake/append-notifier.js';
import { type IntakeBatch, IntakeEvent } from '../src/intake/intake-event.js';
import { Replay } from '../src/intake/replay.js';
import { lagMaxMs } from '../src/intake/shard-appender.js';
import { ChannelRegistry } from '../src/queue/channel-registry.js';
import { Keys } from '../src/queue/keys.js';
import { RedisLink } from '../src/queue/redis-link.js';
import { type Customer, TestSystem, payloads } from './test-system.js';
import { intakeOf } from './parts.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const hourMs = 3_600_000;
const topic = 'device.values';

describe('a Redis that comes back empty', () => {
  let system: TestSystem;

  beforeAll(async () => {
    system = await TestSystem.create('empty-redis');
  });

  afterAll(() => system?.drop());

  const polled = async (service: RunningService, customer: Customer): Promise<string[]> => {
    const { text } = await system.call(service, customer, 'GET', 'pull?noWait=true');
    return payloads(eventsOf([parseMessage(text || '{}')], 'notifications'));
  };

  const empty = async (): Promise<void> => {
    const keys = await system.redis.keys(`${system.isolation.redisPrefix}*`);
    await system.redis.del(...keys);
  };

  it('is filled with events not older than the setting allows, reports it, and continues with new ones', async () => {
    const customer = await system.customer();
    const [first, second] = [newId(), newId()];
    system.clock.jump(-3 * hourMs);
    const before = await system.startReplica();
    await polled(before, customer);
    await before.stop();
    await system.value(customer, 'three hours old', first);
    system.clock.jump(3 * hourMs);
    await system.value(customer, 'new', first);
    await empty();

    const bounded = await system.startReplica('dispatcher-1', { DISPATCHER_REPLAY_MAX_MS: String(hourMs) });
    const received: string[] = [];
    const until = async (service: RunningService, ...expected: string[]): Promise<void> => {
      await eventually(async () => {
        received.push(...(await polled(service, customer)));
        expect(received).toEqual(expected);
      });
      await eventually(async () => {
        const text = await (await fetch(`${service.url}/metrics`)).text();
        expect(text).toMatch(/^lanyard_dispatcher_replay_messages_left\{topic="device.values".*\} 0$/m);
      });
    };
    await until(bounded, 'new');
    const announced = await system.redis.hvals(new Keys(system.isolation.redisPrefix, 4).replay);
    expect(announced).toContain('2');
    await system.value(customer, 'live', second);
    await until(bounded, 'new', 'live');
    await bounded.stop();

    await empty();
    received.length = 0;
    const unbounded = await system.startReplica('dispatcher-2');
    await eventually(async () => {
      received.push(...(await polled(unbounded, customer)));
      expect([...received].sort()).toEqual(['live', 'new', 'three hours old']);
    });
    expect(received.indexOf('three hours old')).toBeLessThan(received.indexOf('new'));
  });
});

describe('what is read again', () => {
  let link: RedisLink;

  beforeAll(async () => {
    link = await RedisLink.open(infrastructure().redisUrl, logger);
  });

  afterAll(() => link?.close());

  it('is told from what is new, by each replica that gets the partition', async () => {
    const keys = new Keys(`test-${newId()}:`, 1);
    const clock = new TestClock(Date.now());
    const registry = new ChannelRegistry(link, keys, clock);
    const [first, other] = [new Replay(link, keys, logger), new Replay(link, keys, logger)];
    await first.begin(topic, 0, { next: 10n, end: 20n }, 0n);
    for (const replay of [first, other]) await replay.assign(topic, new Map([[0, 10n]]));
    expect([...other.left()]).toEqual([[topic, 10]]);

    const dropped: [age: number, isReplay: boolean][] = [];
    const note: AppendNotifier['appended'] = (outcome, isReplay) => void dropped.push([outcome.dropped.age, isReplay]);
    const intake = intakeOf(link, keys, clock, note, other);
    intake.resume(await registry.generations(), () => undefined);
    const [channelId, accountId] = [newId(), newId()];
    await registry.register({
      channelId,
      accountId,
      kind: 'callback',
      revision: '1',
      render: 0,
      eventsMax: 10_000,
      tier: 'commercial',
      target: 'sealed',
      createdAtMs: clock.now() - 30 * hourMs,
      dropped: { size: 0, age: 0, failed: 0 },
      keepFailures: false,
      stopped: undefined,
    });
    const tooOld = (offset: bigint): IntakeBatch => {
      const item = { item: Buffer.from('{}'), category: 'notifications' as const, endpointName: 'e', uid: 'u' };
      const event = new IntakeEvent(offset, clock.now() - 25 * hourMs, { ...item, accountId, audience: [channelId] });
      return { topic, partition: 0, lastOffset: offset, events: [event] };
    };
    for (const offset of [15n, 19n, 20n]) await intake.add(tooOld(offset));
    expect(dropped).toEqual([
      [1, true],
      [1, true],
      [1, false],
    ]);
    expect([...other.left()]).toEqual([[topic, 0]]);
    await other.assign(topic, new Map([[0, 21n]]));
    expect([...other.left()]).toEqual([[topic, 0]]);
  });

  it('counts down also with what is appended together with positions that lag behind', async () => {
    const keys = new Keys(`test-${newId()}:`, 1);
    const clock = new TestClock(Date.now());
    const replay = new Replay(link, keys, logger);
    await replay.begin(topic, 0, { next: 10n, end: 20n }, 0n);
    await replay.assign(topic, new Map([[0, 10n]]));
    const intake = intakeOf(link, keys, clock, undefined, replay);
    intake.resume(await new ChannelRegistry(link, keys, clock).generations(), () => undefined);
    const upTo = (lastOffset: bigint): IntakeBatch => ({ topic, partition: 0, lastOffset, events: [] });
    await intake.add(upTo(15n));
    expect([...replay.left()]).toEqual([[topic, 4]]);
    const appended = intake.add(upTo(19n));
    await clock.advance(lagMaxMs);
    await appended;
    expect([...replay.left()]).toEqual([[topic, 0]]);
  });
});
