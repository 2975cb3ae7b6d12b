import { randomBytes } from 'node:crypto';
import { headerNames, type HeaderReader } from '@lanyard/contracts';
import { endsWithin } from '@lanyard/service';
import type { Consumer, EachBatchPayload } from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { recordHeaders } from '../kafkajs/record-headers.js';

export interface MessageSearch {
  /** CloudEvents id. */
  id: string;
  /** Topic, without the installation's prefix, and the stretch of broker time to look through, in ms. */
  within: readonly { topic: string; fromMs: number; toMs: number }[];
  /** How long the caller waits, whether or not Kafka answers. */
  timeoutMs: number;
}

export interface FoundMessage {
  topic: string;
  partition: number;
  offset: bigint;
  /** When the producer gave it to Kafka. */
  timestampMs: number;
  value: Buffer | null;
  headers: HeaderReader;
}

/** The search did not end in time: the message may exist. */
export class SearchTimedOut extends Error {
  constructor(timeoutMs: number) {
    super(`not looked through within ${timeoutMs} ms`);
    this.name = 'SearchTimedOut';
  }
}

interface Stretch {
  topic: string;
  partition: number;
  from: bigint;
  to: bigint;
}

const nameOf = (topic: string, partition: number): string => `${topic}:${partition}`;

const stretches = async (connection: KafkaConnection, within: MessageSearch['within']): Promise<Stretch[]> => {
  const found = await Promise.all(
    within.map(async ({ topic, fromMs, toMs }) => {
      const [starts, ends] = await Promise.all([
        connection.offsetsAt(topic, fromMs),
        connection.offsetsAt(topic, toMs),
      ]);
      return [...starts].map(([partition, from]) => ({ topic, partition, from, to: ends.get(partition) ?? from }));
    }),
  );
  return found.flat().filter(({ from, to }) => to > from);
};

/** Reads stretches of topics once, in a group of its own that is gone afterwards. */
class Search {
  private readonly groupId: string;
  private readonly consumer: Consumer;
  private readonly left: Map<string, Stretch>;
  private ended: ((outcome: FoundMessage | Error | undefined) => void) | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly search: MessageSearch,
    private readonly all: readonly Stretch[],
  ) {
    this.groupId = connection.topicName(`${connection.clientId}.search.${randomBytes(4).toString('hex')}`);
    this.consumer = connection.kafka.consumer({
      groupId: this.groupId,
      maxWaitTimeInMs: 100,
      allowAutoTopicCreation: false,
      retry: { retries: 2, initialRetryTime: 200, restartOnFailure: async () => false },
    });
    this.left = new Map(
      all.map((stretch) => [nameOf(connection.topicName(stretch.topic), stretch.partition), stretch]),
    );
  }

  async run(leftMs: number): Promise<FoundMessage | undefined> {
    const { timeoutMs } = this.search;
    const outcome = new Promise<FoundMessage | Error | undefined>((resolve) => (this.ended = resolve));
    const timer = setTimeout(() => this.ended?.(new SearchTimedOut(timeoutMs)), leftMs);
    try {
      await this.start();
      const found = await outcome;
      if (found instanceof Error) throw found;
      return found;
    } finally {
      clearTimeout(timer);
      await this.consumer.disconnect();
      await this.connection.deleteGroup(this.groupId).catch(() => undefined);
    }
  }

  private async start(): Promise<void> {
    const { consumer, connection } = this;
    const { CRASH, GROUP_JOIN } = consumer.events;
    consumer.on(CRASH, ({ payload }) => this.ended?.(payload.error));
    consumer.on(GROUP_JOIN, ({ payload }) => this.seekToStretches(payload.memberAssignment));
    await consumer.connect();
    const topics = [...new Set(this.all.map(({ topic }) => connection.topicName(topic)))];
    await consumer.subscribe({ topics, fromBeginning: false });
    await consumer.run({ autoCommit: false, eachBatch: async (payload) => this.searchBatch(payload) });
  }

  /** Seeks to the start of each stretch, and pauses partitions without one. */
  private seekToStretches(assigned: Record<string, number[]>): void {
    for (const [topic, partitions] of Object.entries(assigned))
      for (const partition of partitions) {
        const stretch = this.left.get(nameOf(topic, partition));
        if (stretch) this.consumer.seek({ topic, partition, offset: String(stretch.from) });
        else this.consumer.pause([{ topic, partitions: [partition] }]);
      }
  }

  private searchBatch({ batch }: EachBatchPayload): void {
    const name = nameOf(batch.topic, batch.partition);
    const stretch = this.left.get(name);
    if (!stretch) return;
    for (const message of batch.messages) {
      const headers = recordHeaders(message);
      const offset = BigInt(message.offset);
      if (offset < stretch.from || !this.hasWantedId(headers)) continue;
      const { topic, partition } = stretch;
      this.ended?.({ topic, partition, offset, timestampMs: Number(message.timestamp), value: message.value, headers });
      return;
    }
    if (BigInt(batch.lastOffset()) + 1n < stretch.to) return;
    this.left.delete(name);
    if (this.left.size === 0) this.ended?.(undefined);
  }

  private hasWantedId(headers: HeaderReader): boolean {
    const { id } = this.search;
    return headers.get(headerNames.id) === id || (headers.get(headerNames.ahead)?.includes(`"uid":"${id}"`) ?? false);
  }
}

const lookFor = async (connection: KafkaConnection, search: MessageSearch): Promise<FoundMessage | undefined> => {
  const endsAtMs = performance.now() + search.timeoutMs;
  const found = await stretches(connection, search.within);
  if (found.length === 0) return undefined;
  const leftMs = endsAtMs - performance.now();
  if (leftMs <= 0) throw new SearchTimedOut(search.timeoutMs);
  return new Search(connection, search, found).run(leftMs);
};

/**
 * The message with a CloudEvents id, or with an item of that id ahead of its own, when the approximate time of its sending is
 * known. For an occasional interactive request, never for the path of events. undefined when there is no such message. Throws
 * SearchTimedOut; the search then ends on its own.
 */
export const findMessage = async (
  connection: KafkaConnection,
  search: MessageSearch,
): Promise<FoundMessage | undefined> => {
  const looking = lookFor(connection, search);
  // A Kafka that is slow or silent delays each request of a search, also those before it reads and after it has ended.
  if (!(await endsWithin(search.timeoutMs, looking))) throw new SearchTimedOut(search.timeoutMs);
  return looking;
};
