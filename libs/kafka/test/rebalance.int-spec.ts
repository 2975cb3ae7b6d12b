import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported, type Topic } from '@lanyard/contracts';
import { createLogger, endsWithin, newId } from '@lanyard/service';
import { eventually, infrastructure, type Isolation, isolate } from '@lanyard/testing';
import { type Batch, BatchConsumer, type BatchHandler, KafkaConnection, KafkaProducer } from '../src/index.js';
import { event } from './event.js';

/** Half the time for which a group waits for a member to join again. */
const soonMs = 30_000;

const count = 50;

const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

describe('a rebalance while batches are in flight', () => {
  let isolation: Isolation;
  let one: KafkaConnection;
  let two: KafkaConnection;
  let three: KafkaConnection;
  let producer: KafkaProducer;
  const consumers: BatchConsumer<DeviceEventReported>[] = [];

  const connectionOf = (clientId: string): KafkaConnection => {
    const { topicPrefix } = isolation;
    return new KafkaConnection({ brokers: infrastructure().brokers, clientId, topicPrefix, partitions: 4, logger });
  };

  beforeAll(async () => {
    isolation = await isolate('rebalance');
    [one, two, three] = [connectionOf('one'), connectionOf('two'), connectionOf('three')];
    producer = new KafkaProducer(one, { source: 'test' });
    await producer.connect();
  });

  afterAll(async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await producer?.disconnect();
    await Promise.all([one?.close(), two?.close(), three?.close()]);
    await isolation?.drop();
  });

  const newTopic = async (): Promise<Topic<DeviceEventReported>> => {
    const topic = { ...DeviceEvents, name: newId() };
    await one.ensureTopics([topic]);
    return topic;
  };
  const consumerOf = (
    connection: KafkaConnection,
    topic: Topic<DeviceEventReported>,
    handler: BatchHandler<DeviceEventReported>,
  ): BatchConsumer<DeviceEventReported> => {
    const onFatal = (error: unknown): void => void expect(error).toBeUndefined();
    const consumer = new BatchConsumer<DeviceEventReported>(connection, { topic, group: 'g', handler, onFatal });
    consumers.push(consumer);
    return consumer;
  };
  const send = async (topic: Topic<DeviceEventReported>): Promise<void> => {
    await Promise.all(Array.from({ length: count }, (_, n) => producer.send(topic, event(newId(), n))));
  };
  const numbers = ({ messages }: Batch<DeviceEventReported>): number[] =>
    messages.map(({ value }) => Number(value.description));

  it('does not wait for one that fails again and again', async () => {
    const topic = await newTopic();
    let attempts = 0;
    const failing = consumerOf(one, topic, async () => {
      attempts++;
      throw new Error('the store is away');
    });
    await failing.start();
    await send(topic);
    await eventually(() => attempts > 0);
    const handled = new Set<number>();
    const other = consumerOf(two, topic, async (batch) => numbers(batch).forEach((n) => handled.add(n)));
    expect(await endsWithin(soonMs, other.start())).toBe(true);
    await failing.stop();
    await eventually(() => expect(handled.size).toBe(count));
  });

  it('is left at once by a member that stops while it waits for another one to join again', async () => {
    const topic = await newTopic();
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let isHolding = false;
    const holding = consumerOf(one, topic, async () => {
      isHolding = true;
      await released;
    });
    await holding.start();
    const stopping = consumerOf(two, topic, async () => undefined);
    await stopping.start();
    await send(topic);
    await eventually(() => isHolding);
    const started = consumerOf(three, topic, async () => undefined).start();
    const admin = one.kafka.admin();
    await admin.connect();
    const group = async () => (await admin.describeGroups([one.topicName(`g.${topic.name}`)])).groups[0];
    await eventually(async () => expect((await group())?.state).toBe('PreparingRebalance'), { timeoutMs: soonMs });
    // Longer than the interval of heartbeats: it knows of the rebalance, and has asked to join.
    await sleep(3_000);
    await stopping.stop();
    const clients = async (): Promise<string[]> => ((await group())?.members ?? []).map(({ clientId }) => clientId);
    await eventually(async () => expect(await clients()).not.toContain('two'), { timeoutMs: soonMs });
    expect(await clients()).toContain('one');
    release();
    await started;
    await admin.disconnect();
  });

  it('makes those of a member stale that its group has removed', async () => {
    const topic = await newTopic();
    const handled = new Set<number>();
    const other = consumerOf(two, topic, async (batch) => numbers(batch).forEach((n) => handled.add(n)));
    await other.start();
    let isBegun = false;
    let isStale = false;
    const removed = consumerOf(one, topic, async (batch) => {
      isBegun = true;
      if (isStale) return numbers(batch).forEach((n) => handled.add(n));
      await eventually(() => batch.isStale(), { timeoutMs: soonMs });
      isStale = true;
    });
    await removed.start();
    await send(topic);
    await eventually(() => isBegun);
    await other.evict('one');
    await eventually(() => expect(isStale).toBe(true), { timeoutMs: soonMs });
    // What a stale batch has not stored is delivered again.
    await eventually(() => expect(handled.size).toBe(count));
  });
});
