import { describe, expect, it } from '@jest/globals';
import { DeviceEvents, type DeviceEventReported } from '@lanyard/contracts';
import { createLogger, type Logger } from '@lanyard/service';
import kafkajs, {
  type EachBatchPayload,
  type IHeaders,
  type KafkaMessage,
  type Message,
  type TopicMessages,
} from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { UnreadableBatch } from '../kafkajs/unreadable-batch.js';
import { type BatchHandler, PoisonMessage } from './batch.js';
import { BatchConsumer } from './batch-consumer.js';
import { deadLetterHeaders } from './dead-letters.js';

const topic = DeviceEvents.name;
const partition = 0;

const message = (offset: string, value = Buffer.from('{}'), headers: IHeaders = {}): KafkaMessage => ({
  offset,
  key: null,
  value,
  timestamp: '0',
  attributes: 0,
  headers,
});

const nextTurn = (): Promise<void> => new Promise((turned) => setImmediate(turned));

const refusal = (type: string, code: number): Error =>
  new kafkajs.KafkaJSProtocolError(Object.assign(new Error(type), { type, code, retriable: false }));
const tooLarge = refusal('MESSAGE_TOO_LARGE', 10);
const notAuthorized = refusal('TOPIC_AUTHORIZATION_FAILED', 29);

interface Options {
  handler?: BatchHandler<DeviceEventReported>;
  commit?: (offset: string) => Promise<void>;
  /** The largest value that Kafka takes as a dead letter, in bytes. */
  letterMax?: number;
  /** What Kafka answers to the first dead letters; it stores the others. */
  refusals?: Error[];
  logger?: Logger;
}

/** A consumer that has joined its group, with stubs in place of kafkajs. */
const started = async ({
  handler = async () => undefined,
  commit = async () => undefined,
  letterMax = Infinity,
  refusals = [],
  logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
}: Options) => {
  const listeners = new Map<string, (event: object) => void>();
  const letters: Message[] = [];
  let eachBatch: (payload: EachBatchPayload) => Promise<void> = async () => undefined;
  const join = (): void =>
    listeners.get('join')?.({ payload: { memberId: 'one', memberAssignment: { [topic]: [partition] } } });
  const stub = {
    events: { CRASH: 'crash', GROUP_JOIN: 'join', REBALANCING: 'rebalancing' },
    on: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
    connect: async () => undefined,
    disconnect: async () => undefined,
    subscribe: async () => undefined,
    run: async (options: { eachBatch: typeof eachBatch }) => {
      ({ eachBatch } = options);
      join();
    },
    commitOffsets: ([first]: { offset: string }[]) => commit(first?.offset ?? ''),
  };
  const producer = {
    connect: async () => undefined,
    disconnect: async () => undefined,
    sendBatch: async ({ topicMessages }: { topicMessages: TopicMessages[] }) => {
      const sent = topicMessages.flatMap(({ messages }) => messages);
      if (sent.some(({ value }) => (value?.length ?? 0) > letterMax)) throw tooLarge;
      const refused = refusals.shift();
      if (refused) throw refused;
      letters.push(...sent);
      return topicMessages.map(({ topic: topicName }) => ({ topicName }));
    },
  };
  const connection = {
    kafka: { consumer: () => stub, producer: () => producer },
    logger,
    topicName: (name: string) => name,
    ensureDeadLetters: async () => 'letters',
    offsets: async () => new Map(),
    awaiting: (_: string, work: Promise<unknown>) => work,
  };
  const consumer = new BatchConsumer<DeviceEventReported>(connection as unknown as KafkaConnection, {
    topic: DeviceEvents,
    group: 'g',
    raw: true,
    handler,
    onFatal: (error) => void expect(error).toBeUndefined(),
  });
  await consumer.start();
  const resolved: string[] = [];
  const deliver = (...messages: (KafkaMessage | UnreadableBatch)[]): Promise<void> => {
    const batch = {
      ...{ topic, partition, messages, highWatermark: '100' },
      firstOffset: () => messages[0]?.offset ?? null,
      lastOffset: () => messages.at(-1)?.offset ?? '0',
      offsetLag: () => '0',
    };
    const resolveOffset = (offset: string): void => void resolved.push(offset);
    const answers = { isRunning: () => true, isStale: () => false, resolveOffset };
    return eachBatch({ batch, ...answers, heartbeat: async () => undefined } as unknown as EachBatchPayload);
  };
  return { consumer, deliver, letters, resolved, join, rebalance: () => listeners.get('rebalancing')?.({}) };
};

describe('a consumer of batches', () => {
  it('puts a batch that cannot be decompressed into the dead letters, and handles what follows it', async () => {
    const handled: bigint[] = [];
    const { consumer, deliver, letters } = await started({
      handler: async ({ messages }) => void handled.push(...messages.map(({ offset }) => offset)),
    });
    const bytes = Buffer.alloc(61);
    // Its last offset, counted from its first one.
    bytes.writeInt32BE(4, 23);
    await deliver(new UnreadableBatch(bytes, 3), message('5'));
    expect(handled).toEqual([5n]);
    expect(letters).toHaveLength(1);
    expect(letters[0]?.value).toBe(bytes);
    expect(letters[0]?.headers).toMatchObject({
      [deadLetterHeaders.offset]: '4',
      [deadLetterHeaders.reason]: expect.stringContaining('LZ4'),
    });
    await consumer.stop();
  });

  it('keeps the beginning of a dead letter that Kafka does not take, and handles what follows it', async () => {
    const handled: bigint[] = [];
    const { consumer, deliver, letters } = await started({
      letterMax: 300_000,
      handler: async ({ messages }) => {
        for (const { offset, raw } of messages)
          if (raw.length > 2) throw new PoisonMessage(offset, 'no event');
          else handled.push(offset);
      },
    });
    const large = Buffer.alloc(400_000, 'x');
    await deliver(
      message('3', large, { ce_id: 'one' }),
      message('4', large, { ce_id: 'one', much: 'x'.repeat(300_000) }),
      message('5'),
    );
    expect(handled).toEqual([5n]);
    expect(letters.map(({ value }) => value?.length)).toEqual([262_144, 262_144]);
    expect(letters.map((letter) => letter.headers)).toEqual([
      expect.objectContaining({ ce_id: 'one', [deadLetterHeaders.offset]: '3' }),
      expect.not.objectContaining({ ce_id: 'one' }),
    ]);
    expect(letters[0]?.headers?.[deadLetterHeaders.reason]).toBe('too large, this is its beginning: no event');
    await consumer.stop();
  });

  it('keeps the beginning of a long reason, in the dead letter and in the log', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const { consumer, deliver, letters } = await started({
      logger: createLogger({ app: 'test', replicaId: 'test', level: 'error', destination }),
      handler: async ({ messages: [poison] }) => {
        if (poison) throw new PoisonMessage(poison.offset, 'x'.repeat(10_000));
      },
    });
    await deliver(message('3'));
    expect(letters[0]?.headers?.[deadLetterHeaders.reason]).toBe('x'.repeat(2_000));
    expect(lines.map(({ msg, reason }) => [msg, reason])).toEqual([['dead letter', 'x'.repeat(2_000)]]);
    await consumer.stop();
  });

  it('gets a batch again whose dead letter Kafka refuses, and does not end', async () => {
    const handled: bigint[] = [];
    const { consumer, deliver, letters, resolved } = await started({
      refusals: [notAuthorized],
      handler: async ({ messages }) => {
        const poison = messages.find(({ offset }) => offset === 7n);
        if (poison) throw new PoisonMessage(poison.offset, 'no event');
        handled.push(...messages.map(({ offset }) => offset));
      },
    });
    const batch = ['6', '7', '8'].map((offset) => message(offset));
    await deliver(...batch);
    expect([letters, handled, resolved]).toEqual([[], [], []]);
    await deliver(...batch);
    expect(letters.map(({ headers }) => headers?.[deadLetterHeaders.offset])).toEqual(['7']);
    expect([handled, resolved]).toEqual([[6n, 8n], ['8']]);
    await consumer.stop();
  });

  it('commits offsets one request after another, so that none replaces a newer one', async () => {
    const commits: string[] = [];
    let answer = (): void => undefined;
    const { consumer, deliver, rebalance } = await started({
      commit: (offset) => {
        commits.push(offset);
        return new Promise((answered) => (answer = answered));
      },
    });
    await deliver(message('4'));
    rebalance();
    await deliver(message('9'));
    rebalance();
    await nextTurn();
    expect(commits).toEqual(['5']);
    answer();
    await nextTurn();
    expect(commits).toEqual(['5', '10']);
    answer();
    await consumer.stop();
  });

  it('commits no offset from before it joined its group again, as another member may have committed a newer one', async () => {
    const commits: string[] = [];
    const { consumer, deliver, join, rebalance } = await started({
      commit: async (offset) => void commits.push(offset),
    });
    await deliver(message('4'));
    join();
    rebalance();
    await nextTurn();
    expect(commits).toEqual([]);
    await deliver(message('9'));
    rebalance();
    await nextTurn();
    expect(commits).toEqual(['10']);
    await consumer.stop();
  });
});
