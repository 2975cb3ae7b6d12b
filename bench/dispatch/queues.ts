/** The queue store alone, used as a dispatcher does, on the Redis of the benchmark. */
import { createLogger, newId, systemClock, type Logger } from '@lanyard/service';
import { IntakeEvent } from '../../apps/dispatcher/dist/intake/intake-event.js';
import { Intake } from '../../apps/dispatcher/dist/intake/intake.js';
import { Replay } from '../../apps/dispatcher/dist/intake/replay.js';
import { ShardAppenders } from '../../apps/dispatcher/dist/intake/shard-appenders.js';
import { BodyBudget } from '../../apps/dispatcher/dist/queue/body-budget.js';
import { ChannelQueue } from '../../apps/dispatcher/dist/queue/channel-queue.js';
import { ChannelRegistry } from '../../apps/dispatcher/dist/queue/channel-registry.js';
import { Keys } from '../../apps/dispatcher/dist/queue/keys.js';
import { RecentChunks } from '../../apps/dispatcher/dist/queue/recent-chunks.js';
import { RedisLink } from '../../apps/dispatcher/dist/queue/redis-link.js';

const shards = 4;
const owner = 'bench#1';

export class Queues {
  accountId = newId();
  offset = 0n;
  link: RedisLink;
  prefix: string;
  /** No other process appends events of this topic. */
  topic = `bench-${newId()}`;
  keys: Keys;
  registry: ChannelRegistry;
  queue: ChannelQueue;
  intake: Intake;

  constructor(link: RedisLink, prefix: string, logger: Logger) {
    this.link = link;
    this.prefix = prefix;
    this.keys = new Keys(this.prefix, shards);
    this.registry = new ChannelRegistry(link, this.keys, systemClock);
    // Remembers no chunks, so that drained events are read from Redis.
    const recent = new RecentChunks(0);
    this.queue = new ChannelQueue(link, this.keys, systemClock, owner, recent, new BodyBudget());
    const appenders = new ShardAppenders(link, this.keys, systemClock, owner, recent, undefined);
    const replay = new Replay(link, this.keys, logger);
    this.intake = new Intake(
      link,
      this.keys,
      systemClock,
      appenders,
      replay,
      { appended: () => undefined },
      {
        maySee: undefined,
      },
    );
  }

  /** @param prefix of a dispatcher; default: a separate one */
  static async open(redisUrl: string, prefix: string = `bench-${newId()}:`) {
    const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
    const queues = new Queues(await RedisLink.open(redisUrl, logger), prefix, logger);
    queues.intake.resume(await queues.registry.generations(), () => undefined);
    return queues;
  }

  /** Registers new callback channels; returns their ids. */
  async channels(count: number) {
    const ids = Array.from({ length: count }, newId);
    for (const channelId of ids)
      await this.registry.register({
        channelId,
        accountId: this.accountId,
        kind: 'callback',
        revision: '1',
        render: 0,
        eventsMax: 10_000,
        tier: 'commercial',
        target: 'sealed',
        createdAtMs: Date.now(),
        dropped: { size: 0, age: 0, failed: 0 },
        keepFailures: false,
        stopped: undefined,
      });
    return ids;
  }

  /** Events for the channels in rotation, as in a batch of one partition. */
  batch(channels: string[], items: Buffer[], partition = 0) {
    const events = items.map(
      (item, n) =>
        new IntakeEvent(++this.offset, Date.now(), {
          item,
          category: 'notifications',
          accountId: this.accountId,
          audience: [channels[n % channels.length] as string],
          endpointName: 'bench',
          uid: 'bench',
        }),
    );
    return { topic: this.topic, partition, lastOffset: this.offset, events };
  }

  /** Appends batches as they come from Kafka: those of one partition one after another. */
  async append(batches: ReturnType<Queues['batch']>[]) {
    const partitions = new Set(batches.map(({ partition }) => partition));
    await Promise.all(
      [...partitions].map(async (partition) => {
        for (const batch of batches) if (batch.partition === partition) await this.intake.add(batch);
      }),
    );
  }

  /** Claims and confirms until the queue is empty; returns the number of events. */
  async drain(channelId: string) {
    let events = 0;
    for (;;) {
      const claim = await this.queue.claim(channelId, '');
      if (!claim) return events;
      for (let batch = claim.batch as typeof claim.batch | undefined; batch;) {
        events += batch.count;
        const acked = await this.queue.ack(claim.hold, batch, 'next');
        batch = acked.outcome === 'next' ? acked.batch : undefined;
      }
    }
  }

  /** Empties all queues; the channels stay. */
  async clear() {
    const keys = await this.link.redis.keys(`${this.prefix}*q:*`);
    if (keys.length > 0) await this.link.redis.del(...keys);
    const hashes = await this.link.redis.keys(`${this.prefix}*m:*`);
    for (const key of hashes) await this.link.redis.hset(key, { head: 0, skip: 0, n: 0, bytes: 0, headAt: '' });
  }

  /** The memory of a channel's queue and of its hash according to Redis, in bytes. */
  async memoryOf(channelId: string) {
    const shard = this.keys.ofChannel(channelId);
    const [queue, counters] = [shard.queue(channelId), shard.channel(channelId)];
    const [ofQueue, ofCounters] = await Promise.all(
      [queue, counters].map((key) => this.link.redis.memory('USAGE', key, 'SAMPLES', 0)),
    );
    return Number(ofQueue) + Number(ofCounters);
  }

  async usedMemory() {
    return Number(/used_memory:(\d+)/.exec(await this.link.redis.info('memory'))?.[1]);
  }

  close() {
    this.link.close();
  }
}
