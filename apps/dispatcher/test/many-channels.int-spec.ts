import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger, newId } from '@lanyard/service';
import { infrastructure, TestClock } from '@lanyard/testing';
import { eventOverheadBytes } from '../src/limits.js';
import type { Intake } from '../src/intake/intake.js';
import { type IntakeBatch, IntakeEvent } from '../src/intake/intake-event.js';
import { flushBytesMax } from '../src/intake/flush-slices.js';
import type { AppendOutcome } from '../src/queue/append-outcome.js';
import { ChannelRegistry } from '../src/queue/channel-registry.js';
import { readHead, sliceEvents } from '../src/queue/chunk.js';
import { Keys } from '../src/queue/keys.js';
import { LinkLost, RedisLink } from '../src/queue/redis-link.js';
import { intakeOf } from './parts.js';

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
const channels = 200;
const eventsEach = 300;
const itemBytes = 500;

describe('events for every channel of an account that has many', () => {
  let link: RedisLink;
  let keys: Keys;
  let intake: Intake;
  let registry: ChannelRegistry;
  let accountId: string;
  let channelIds: string[];
  let outcomes: AppendOutcome[];
  let resume: () => Promise<void>;
  let onAppended: () => void;
  const clock = new TestClock(Date.now());

  beforeAll(async () => {
    link = await RedisLink.open(infrastructure().redisUrl, logger);
  });

  afterAll(() => link?.close());

  beforeEach(async () => {
    keys = new Keys(`test-${newId()}:`, 2);
    registry = new ChannelRegistry(link, keys, clock);
    intake = intakeOf(link, keys, clock, (outcome) => {
      outcomes.push(outcome);
      onAppended();
    });
    outcomes = [];
    onAppended = () => undefined;
    const marks = await registry.generations();
    resume = async () => intake.resume(marks, () => undefined);
    await resume();
    accountId = newId();
    channelIds = Array.from({ length: channels }, () => newId());
    for (const channelId of channelIds)
      await registry.register({
        channelId,
        accountId,
        kind: 'callback',
        revision: '1',
        render: 0,
        eventsMax: 10_000,
        tier: 'commercial',
        target: 'sealed',
        createdAtMs: clock.now(),
        dropped: { size: 0, age: 0, failed: 0 },
        keepFailures: false,
        stopped: undefined,
      });
  });

  const batchOf = (partition: number): IntakeBatch => ({
    topic: 'device.sessions',
    partition,
    lastOffset: BigInt(eventsEach + 7),
    events: Array.from(
      { length: eventsEach },
      (_, n) =>
        new IntakeEvent(BigInt(n), clock.now(), {
          item: Buffer.from(JSON.stringify({ id: `${partition}/${n}`, more: 'x'.repeat(itemBytes) })),
          category: 'registrations',
          accountId,
          audience: '*',
          endpointName: 'e',
          uid: 'u',
        }),
    ),
  });

  const received = async (channelId: string): Promise<string[]> => {
    const chunks = await link.redis.lrangeBuffer(keys.ofChannel(channelId).queue(channelId), 0, -1);
    const json = chunks.map((chunk) => sliceEvents(chunk, 0, readHead(chunk).count).toString());
    return (JSON.parse(`[${json.join()}]`) as { id: string }[]).map(({ id }) => id);
  };

  it('come to each of them once and in order, and no command carries more than the bound', async () => {
    await Promise.all([intake.add(batchOf(0)), intake.add(batchOf(1))]);
    for (const channelId of channelIds) {
      const ids = await received(channelId);
      for (const partition of [0, 1])
        expect(ids.filter((id) => id.startsWith(`${partition}/`))).toEqual(
          Array.from({ length: eventsEach }, (_, n) => `${partition}/${n}`),
        );
      expect(ids).toHaveLength(2 * eventsEach);
    }
    const bytes = outcomes.map(({ events }) => events * (itemBytes + eventOverheadBytes));
    expect(Math.max(...bytes)).toBeLessThanOrEqual(flushBytesMax);
    expect(await intake.nextOffsets('device.sessions', [0, 1])).toEqual(
      new Map([0, 1].map((partition) => [partition, BigInt(eventsEach + 8)])),
    );
  });

  it('nothing more of them is appended when Redis was lost meanwhile: they are read again', async () => {
    onAppended = () => void resume();
    await expect(intake.add(batchOf(0))).rejects.toThrow(LinkLost);
    onAppended = () => undefined;
    const next = (await intake.nextOffsets('device.sessions', [0])).get(0) ?? 0n;
    expect(next).toBeLessThan(BigInt(eventsEach));
    await intake.add(batchOf(0));
    const [any = ''] = channelIds;
    expect(await received(any)).toEqual(Array.from({ length: eventsEach }, (_, n) => `0/${n}`));
  });
});
