import { setTimeout as sleep } from 'node:timers/promises';
import { decodeMessage, type HeaderReader, InvalidMessage, type Topic } from '@lanyard/contracts';
import { endsWithin, systemClock, type Timer } from '@lanyard/service';
import type { Consumer, EachBatchPayload, KafkaMessage } from 'kafkajs';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { logRequests } from '../request-log.js';
import { type BatchHandler, PoisonMessage, type Received, type StoredPositions } from './batch.js';
import { ConsumerCluster } from '../kafkajs/consumer-cluster.js';
import { ConsumerMetrics } from './consumer-metrics.js';
import { DeadLetters } from './dead-letters.js';
import { GroupMembership } from '../kafkajs/group-membership.js';
import { PositionGates } from './positions.js';
import { recordHeaders } from '../kafkajs/record-headers.js';
import { UnreadableBatch } from '../kafkajs/unreadable-batch.js';

export interface BatchConsumerOptions<V> {
  topic: Topic<V>;
  /** The app. The group on the cluster is `<group>.<topic>`: one consumer per topic, as kafkajs assigns by group. */
  group: string;
  handler: BatchHandler<V>;
  /** Nothing is parsed: `value` is undefined. */
  raw?: boolean;
  /**
   * The least time in ms between two fetches that leave nothing behind: messages that arrive meanwhile are handled together. The
   * first message after an idle time does not wait, and a consumer that is behind fetches at once. A rebalance and a seek take
   * effect only after this time, so it must be well below a second.
   */
  fetchIntervalMs?: number;
  positions?: StoredPositions;
  /** The client id is unique: a group member that has it is this process before a crash. */
  isOnlyOfItsName?: boolean;
  /** The consumer ended permanently: the process should end too. */
  onFatal: (error: unknown) => void;
}

/** Interval of commits, heartbeats and metrics. */
const tickMs = 1_000;

/** How long a broker holds a fetch without data. A new message ends the wait, and so does a rebalance. */
const fetchWaitMs = 5_000;
/** The same if a fetch cannot be aborted: shorter, as a member then learns of a rebalance only between two fetches. */
const lastingFetchWaitMs = 1_000;
/**
 * The number of batches that kafkajs may handle at the same time is at least this: it leaves room for partitions that
 * are added later. It is not larger, because kafkajs starts that many workers at every fetch.
 */
const concurrencyMin = 16;
/** How long a stop waits for running batches, which may be waiting for a store that is down. */
const batchEndsMs = 3_000;
/** How long a stop waits for Kafka in each of its steps, such as the last commit and the end of the membership. */
const leaveMs = 2_000;
const retryFirstMs = 100;
const retryMaxMs = 5_000;
/** How long a consumer waits before it fetches a batch again whose dead letter Kafka did not take. Other partitions wait, too. */
const letterRetryMs = 1_000;
/** Of this many failed attempts to read positions, one is logged, because a store is often away for a moment. */
const failuresPerWarning = 50;

const nothing = Buffer.alloc(0);

/** Most handlers want only a part of a message: the other parts are not computed. */
class ReceivedMessage<V> implements Received<V> {
  readonly headers: HeaderReader;

  constructor(
    private readonly message: KafkaMessage,
    readonly value: V,
  ) {
    this.headers = recordHeaders(message);
  }

  get key(): string {
    return this.message.key?.toString() ?? '';
  }

  get raw(): Buffer {
    return this.message.value ?? nothing;
  }

  get offset(): bigint {
    return BigInt(this.message.offset);
  }

  get timestampMs(): number {
    return Number(this.message.timestamp);
  }
}

/**
 * Consumes one topic in batches. The offset of a batch is committed only after its handler resolved, on a timer, so a
 * handler sees every message at least once and must be idempotent. A handler that rejects is called again with the
 * same messages, with growing pauses, for as long as the partition is assigned to this consumer.
 */
export class BatchConsumer<V> {
  private readonly consumer: Consumer;
  private readonly deadLetters: DeadLetters;
  private readonly gates: PositionGates | undefined;
  private readonly cluster = new ConsumerCluster();
  private readonly membership: GroupMembership;
  private readonly topicOnCluster: string;
  private readonly groupId: string;
  private readonly metrics: ConsumerMetrics | undefined;
  /** The offset to commit, of each partition with batches that were handled since the last commit. */
  private readonly done = new Map<number, bigint>();
  private committing = Promise.resolve();
  private ticking: Timer | undefined;
  private assigned: number[] = [];
  private memberId = '';
  /** Incremented when positions are read again, or the membership was lost: a batch of an older round is abandoned. */
  private round = 0;
  /** The group waits for this member, which joins again when its batches have ended: those that fail are not tried again. */
  private isRejoining = false;
  private stopping = false;
  /** Ends the wait between two fetches. */
  private readonly ending = new AbortController();
  private inFlight = 0;
  /** When the batches that are in flight began to arrive, ms. */
  private fetchedAtMs = 0;
  /** More messages are waiting in a partition of one of these batches. */
  private isBehind = false;
  private heartbeat: (() => Promise<void>) | undefined;
  private onIdle: (() => void) | undefined;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly options: BatchConsumerOptions<V>,
  ) {
    this.topicOnCluster = connection.topicName(options.topic.name);
    this.groupId = connection.topicName(`${options.group}.${options.topic.name}`);
    this.deadLetters = new DeadLetters(connection, options.topic.name, options.group);
    this.gates = options.positions && new PositionGates(options.positions, options.topic.name);
    const { metrics } = connection;
    this.metrics = metrics && new ConsumerMetrics(metrics, options.topic.name, options.group);
    this.membership = new GroupMembership(this.cluster, this.groupId, connection.logger);
    this.consumer = connection.kafka.consumer({
      groupId: this.groupId,
      partitionAssigners: [this.cluster.assigner],
      sessionTimeout: 30_000,
      heartbeatInterval: tickMs,
      rebalanceTimeout: 60_000,
      maxWaitTimeInMs: this.cluster.canAbort ? fetchWaitMs : lastingFetchWaitMs,
      maxBytesPerPartition: 512 * 1024,
      metadataMaxAge: 30_000,
      allowAutoTopicCreation: false,
      retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 5_000, restartOnFailure: async () => !this.stopping },
    });
  }

  /** Resolves when the group was joined. */
  async start(): Promise<void> {
    await this.deadLetters.open();
    const { CRASH, GROUP_JOIN, REBALANCING } = this.consumer.events;
    this.consumer.on(CRASH, ({ payload }) => {
      if (!payload.restart && !this.stopping) this.options.onFatal(payload.error);
    });
    this.consumer.on(REBALANCING, () => void this.commit());
    const joined = new Promise<void>((resolve) => {
      this.consumer.on(GROUP_JOIN, ({ payload }) => {
        this.memberId = payload.memberId;
        // Another member may have had the partitions meanwhile: it has committed newer offsets, from which this one continues.
        this.done.clear();
        this.onAssigned(payload.memberAssignment[this.topicOnCluster] ?? []);
        resolve();
      });
    });
    await this.consumer.connect();
    if (this.options.isOnlyOfItsName) await this.evict(this.connection.clientId);
    await this.consumer.subscribe({ topic: this.topicOnCluster, fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatchAutoResolve: false,
      partitionsConsumedConcurrently: await this.partitionsAtOnce(),
      eachBatch: (payload) => this.track(payload),
    });
    await joined;
    this.ticking = systemClock.every(tickMs, () => this.tick());
  }

  /**
   * All partitions: the batches of a fetch, one for each partition, are handled at the same time. kafkajs fetches from a broker
   * again when all of these are done, so a batch that waits for its store delays later messages of all partitions that
   * the same broker leads.
   */
  private async partitionsAtOnce(): Promise<number> {
    const partitions = await this.connection.offsets(this.options.topic.name);
    return Math.max(partitions.size, concurrencyMin);
  }

  /**
   * Finishes the running batches, commits, and leaves the group. A batch that does not end in time is abandoned, and
   * handled again by another replica.
   */
  async stop(): Promise<void> {
    if (this.stopping) return;
    this.stopping = true;
    this.ending.abort();
    const { topic } = this.options;
    const { logger } = this.connection;
    if (!(await endsWithin(batchEndsMs, this.idle()))) {
      this.round++;
      logger.warn({ topic: topic.name, batches: this.inFlight }, 'stop: running batches are abandoned');
    }
    this.ticking?.cancel();
    // Leaving the group first would make the commit impossible.
    await endsWithin(leaveMs, this.commit());
    // kafkajs leaves when the last batch has ended, which may be never.
    if (this.inFlight > 0) await endsWithin(leaveMs, this.membership.leave(this.memberId));
    if (!(await endsWithin(leaveMs, this.cluster.disconnect(this.consumer))) && this.inFlight === 0)
      logger.warn({ topic: topic.name }, 'stop: Kafka does not answer, the membership ends with its session');
    this.gates?.end();
    await endsWithin(leaveMs, this.deadLetters.close());
  }

  /** The store of positions may have lost recent writes: reads it again and seeks to its positions. */
  reseek(): void {
    if (this.gates) this.onAssigned(this.assigned);
  }

  /**
   * Removes a process that is gone from the group, so that its partitions are assigned to others now, and not only
   * when its session ends. Never rejects.
   */
  async evict(clientId: string): Promise<void> {
    await this.membership.evict(this.consumer, clientId);
  }

  private tick(): void {
    void this.commit();
    // A fetch or a handler may take longer than the others of the group should wait, and longer than a session.
    if (this.cluster.canAbort) void this.sendHeartbeat();
    else void this.heartbeat?.().catch(() => undefined);
    this.metrics?.publishLags();
  }

  private async sendHeartbeat(): Promise<void> {
    const { round } = this;
    const membership = await this.cluster.heartbeat();
    // It has joined again meanwhile.
    if (round !== this.round) return;
    this.isRejoining = membership !== 'kept';
    if (membership === 'lost') this.round++;
  }

  private async track(payload: EachBatchPayload): Promise<void> {
    if (this.inFlight++ === 0) {
      this.fetchedAtMs = performance.now();
      this.isBehind = false;
    }
    if (payload.batch.offsetLag() !== '0') this.isBehind = true;
    this.heartbeat = payload.heartbeat;
    this.metrics?.fetched(payload.batch);
    try {
      await this.onFetch(payload);
    } finally {
      this.metrics?.ended(payload.batch);
      if (--this.inFlight === 0) {
        this.heartbeat = undefined;
        this.onIdle?.();
      }
    }
    await this.awaitFetchInterval();
  }

  /**
   * kafkajs fetches from a broker again when the batches of the fetch have ended, so the last batch to end waits here. A broker
   * whose batches end while those of another broker are in flight is fetched from at once.
   */
  private async awaitFetchInterval(): Promise<void> {
    if (this.inFlight > 0 || this.isBehind || this.stopping) return;
    const waitMs = this.fetchedAtMs + (this.options.fetchIntervalMs ?? 0) - performance.now();
    if (waitMs > 0) await sleep(waitMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
  }

  /** Batches that arrive while this consumer stops are not started. */
  private idle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => (this.onIdle = resolve));
  }

  private onAssigned(partitions: number[]): void {
    this.assigned = partitions;
    this.isRejoining = false;
    this.round++;
    this.metrics?.assigned(partitions);
    this.gates?.assign(
      partitions,
      (partition, offset) => this.seek(partition, offset),
      (err, failures) => this.awaitPositions(err, failures),
    );
  }

  private async awaitPositions(err: unknown, failures: number): Promise<void> {
    if (failures % failuresPerWarning === 0)
      this.connection.logger.warn({ err, topic: this.options.topic.name, failures }, 'no positions yet, asked again');
    await sleep(retryFirstMs);
  }

  private seek(partition: number, offset: bigint): void {
    this.done.delete(partition);
    try {
      this.consumer.seek({ topic: this.topicOnCluster, partition, offset: String(offset) });
      this.cluster.abortFetches();
    } catch (err) {
      // The consumer crashed and is about to restart: when it has joined, positions are read again.
      this.connection.logger.debug({ err, topic: this.options.topic.name, partition }, 'no seek while restarting');
    }
  }

  private async onFetch(payload: EachBatchPayload): Promise<void> {
    const { batch, resolveOffset, isRunning, isStale } = payload;
    const { partition } = batch;
    const round = this.round;
    const isGone = (): boolean => !isRunning() || isStale() || round !== this.round;
    if (this.stopping || isGone()) return;
    const verdict = await this.gates?.judge(
      partition,
      BigInt(batch.firstOffset() ?? batch.lastOffset()),
      BigInt(batch.lastOffset()),
    );
    if (isGone()) return;
    if (verdict?.kind === 'seek') return this.seek(partition, verdict.to);
    if (verdict?.kind === 'reread') return this.reseek();
    const from = verdict?.from ?? 0n;
    const messages = batch.messages.filter((m) => BigInt(m.offset) >= from);
    if (!(await this.process(payload, messages, isGone))) return;
    // The gate of a later round has newer positions than a batch of this round.
    if (isGone()) return;
    const next = BigInt(batch.lastOffset()) + 1n;
    await this.gates?.advance(partition, next);
    if (isGone()) return;
    resolveOffset(batch.lastOffset());
    this.done.set(partition, next);
    this.metrics?.handled(batch, messages);
  }

  /**
   * False when the batch was given up because the partition is no longer assigned to this consumer, or because Kafka does not take
   * a dead letter: then it is fetched again. An error would end the consumer of all partitions, and some errors the process.
   */
  private async process(payload: EachBatchPayload, fetched: KafkaMessage[], isGone: () => boolean): Promise<boolean> {
    try {
      return await this.handle(payload, fetched, isGone);
    } catch (error) {
      this.reportRetry(error, payload.batch.partition, letterRetryMs);
      await sleep(letterRetryMs, undefined, { signal: this.ending.signal }).catch(() => undefined);
      return false;
    }
  }

  /** Rejects when Kafka does not take a dead letter. */
  private async handle(payload: EachBatchPayload, fetched: KafkaMessage[], isGone: () => boolean): Promise<boolean> {
    const { partition } = payload.batch;
    let messages = await this.decodeAll(partition, fetched);
    logRequests(this.connection.logger, this.options.topic.name, 'fact received', messages);
    for (let waitMs = retryFirstMs; messages.length > 0; waitMs = Math.min(waitMs * 2, retryMaxMs)) {
      if (isGone()) return false;
      try {
        await this.options.handler({
          topic: this.options.topic.name,
          partition,
          messages,
          nextOffset: BigInt(payload.batch.lastOffset()) + 1n,
          isStale: isGone,
        });
        return true;
      } catch (error) {
        if (error instanceof PoisonMessage) {
          await this.deadLetter(partition, fetched, error);
          messages = messages.filter((m) => m.offset !== error.offset);
          continue;
        }
        if (this.stopping || this.isRejoining || isGone()) return false;
        this.reportRetry(error, partition, waitMs);
        await sleep(waitMs);
      }
    }
    return true;
  }

  private reportRetry(err: unknown, partition: number, waitMs: number): void {
    const { topic, group } = this.options;
    const { logger, metrics } = this.connection;
    logger.warn({ err, topic: topic.name, partition, waitMs }, 'batch failed, tried again');
    metrics
      ?.counter({
        name: 'lanyard_kafka_batch_retries_total',
        help: 'Batches delivered to their handler again after an error',
        labelNames: ['topic', 'group'],
      })
      .inc({ topic: topic.name, group });
  }

  private async decodeAll(partition: number, fetched: KafkaMessage[]): Promise<Received<V>[]> {
    const { topic, raw } = this.options;
    const messages: Received<V>[] = [];
    for (const message of fetched) {
      // A tombstone matters to readers of state, not to handlers of changes.
      if (!raw && message.value === null && topic.kind === 'state') continue;
      try {
        messages.push(this.received(message));
      } catch (error) {
        if (!(error instanceof InvalidMessage)) throw error;
        await this.deadLetter(partition, fetched, new PoisonMessage(BigInt(message.offset), error.message));
      }
    }
    return messages;
  }

  private received(message: KafkaMessage): Received<V> {
    const { topic, raw } = this.options;
    if (message instanceof UnreadableBatch) throw new InvalidMessage(topic.name, message.problem);
    return new ReceivedMessage(message, raw ? (undefined as V) : decodeMessage(topic, message.value));
  }

  private async deadLetter(
    partition: number,
    fetched: KafkaMessage[],
    { offset, reason }: PoisonMessage,
  ): Promise<void> {
    const source = fetched.find((m) => BigInt(m.offset) === offset);
    if (!source) throw new Error(`poison message at offset ${offset} is not of this batch`);
    await this.deadLetters.put({
      key: source.key?.toString() ?? null,
      value: source.value,
      headers: recordHeaders(source).all(),
      partition,
      offset,
      reason,
    });
  }

  /** One request after another: kafkajs repeats one that failed, and its offsets would replace newer ones. Never rejects. */
  private commit(): Promise<void> {
    return (this.committing = this.committing.then(() => this.commitDone()));
  }

  private async commitDone(): Promise<void> {
    const offsets = [...this.done];
    if (offsets.length === 0) return;
    try {
      await this.consumer.commitOffsets(
        offsets.map(([partition, offset]) => ({ topic: this.topicOnCluster, partition, offset: String(offset) })),
      );
      for (const [partition, offset] of offsets) if (this.done.get(partition) === offset) this.done.delete(partition);
    } catch (error) {
      // A rebalance, or a broker that is down: uncommitted messages are handled again, which handlers must allow.
      this.connection.logger.debug({ err: error, topic: this.options.topic.name }, 'offsets not committed');
    }
  }
}
