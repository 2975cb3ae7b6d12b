import { randomBytes } from 'node:crypto';
import { decodeMessage, InvalidMessage, type Topic } from '@lanyard/contracts';
import kafkajs, { type Batch, type Consumer, type KafkaMessage } from 'kafkajs';
import { exitOnFatal, KeyedSets, StopDeadline } from '@lanyard/service';
import { Inject, type OnApplicationShutdown, type OnModuleInit, Optional } from '@nestjs/common';
import type { KafkaConnection } from '../connection/kafka-connection.js';
import { ConsumerCluster } from '../kafkajs/consumer-cluster.js';
import { recordHeaders } from '../kafkajs/record-headers.js';
import { UnreadableBatch } from '../kafkajs/unreadable-batch.js';
import { logRequests } from '../request-log.js';
import { StateReplay } from './state-replay.js';

// Not everything of this CommonJS package is a named export to an ES module.
const { KafkaJSNonRetriableError } = kafkajs;

export interface StateReaderOptions<V, P> {
  /** Keeps only what is needed of a value. `key`: a value that repeats it can share the string. */
  project: (value: V, key: string) => P;
  /** Whether a value is older than the one that is known, and is ignored: a relay that crashes repeats messages. */
  isOutdated?: (value: P, known: P) => boolean;
  /** Called when a consumer ended permanently. Default: the process ends, and its supervisor starts another. */
  onFatal?: (error: unknown) => void;
}

export type StateListener<P> = (key: string, value: P | undefined, previous: P | undefined) => void;

interface Waiter<P> {
  /** Ends the wait if the value is accepted. */
  offer: (value: P) => void;
  giveUp: () => void;
}

const caughtUpWithinMs = 60_000;

/** How long a broker holds a fetch without data. A new message ends the wait. A reader is the only member of its group. */
const fetchWaitMs = 5_000;

/**
 * A replica's own copy of a state topic, in memory. Every replica reads all of it, from the beginning, and follows
 * it. Nothing is committed; the group exists only while the reader runs. As a provider of a Nest module it has read all
 * of it before the modules that import this one start, and stops after they have.
 */
export class StateReader<V, P = V> implements OnModuleInit, OnApplicationShutdown {
  private readonly state = new Map<string, P>();
  private readonly listeners = new Set<StateListener<P>>();
  /** Waiters by key: many wait at a time, each for a different key. */
  private readonly waiting = new KeyedSets<string, Waiter<P>>();
  private readonly consumer: Consumer;
  private readonly cluster = new ConsumerCluster();
  private readonly groupId: string;
  private readonly replay: StateReplay<P>;
  private ends = new Map<number, bigint>();
  private caughtUp: (() => void) | undefined;
  private stopping = false;
  /** A property, so that constructors of subclasses need not pass it on. Absent outside a Nest module. */
  @Optional()
  @Inject(StopDeadline)
  private readonly deadline?: StopDeadline;

  constructor(
    private readonly connection: KafkaConnection,
    private readonly topic: Topic<V>,
    private readonly options: StateReaderOptions<V, P>,
  ) {
    this.groupId = connection.topicName(`${connection.clientId}.state.${topic.name}.${randomBytes(4).toString('hex')}`);
    this.replay = new StateReplay((key, value) => this.set(key, value));
    this.consumer = connection.kafka.consumer({
      groupId: this.groupId,
      partitionAssigners: [this.cluster.assigner],
      sessionTimeout: 30_000,
      heartbeatInterval: 3_000,
      maxWaitTimeInMs: fetchWaitMs,
      metadataMaxAge: 30_000,
      allowAutoTopicCreation: false,
      retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 5_000, restartOnFailure: async () => !this.stopping },
    });
  }

  /**
   * Resolves when everything that was in the topic at the call has been read. Rejects when that takes over a minute after the
   * group was joined.
   */
  start(): Promise<void> {
    return this.connection.awaiting(`topic ${this.topic.name}`, this.catchUp());
  }

  private async catchUp(): Promise<void> {
    const offsets = await this.connection.offsets(this.topic.name);
    this.ends = new Map([...offsets].filter(([, o]) => o.high > o.low).map(([partition, o]) => [partition, o.high]));
    this.consumer.on(this.consumer.events.CRASH, ({ payload }) => {
      if (!payload.restart && !this.stopping) (this.options.onFatal ?? exitOnFatal)(payload.error);
    });
    // Nothing is committed: every member reads from the beginning.
    this.consumer.on(this.consumer.events.GROUP_JOIN, () => this.replay.begin());
    await this.consumer.connect();
    await this.consumer.subscribe({ topic: this.connection.topicName(this.topic.name), fromBeginning: true });
    await this.consumer.run({
      autoCommit: false,
      eachBatch: async ({ batch, heartbeat }) => {
        this.applyBatch(batch);
        await heartbeat();
      },
    });
    await this.waitCaughtUp();
  }

  onModuleInit(): Promise<void> {
    return this.start();
  }

  /** Leaves the group. If its broker is down, the membership expires. */
  async onApplicationShutdown(): Promise<void> {
    const name = `state of ${this.topic.name}`;
    await (this.deadline?.step(name, () => this.stop()) ?? this.stop());
  }

  get(key: string): P | undefined {
    return this.state.get(key);
  }

  has(key: string): boolean {
    return this.state.has(key);
  }

  entries(): IterableIterator<[string, P]> {
    return this.state.entries();
  }

  /** `listener` is called for each change, also while catching up. */
  onChange(listener: StateListener<P>): void {
    this.listeners.add(listener);
  }

  /**
   * The value once `accepts` it, or undefined after `timeoutMs`, at a tombstone of the key, or when this reader stops: for facts
   * that a client knows before this reader. No key comes again after its tombstone.
   */
  async waitFor(key: string, timeoutMs: number, accepts: (value: P) => boolean = () => true): Promise<P | undefined> {
    const known = this.state.get(key);
    if (known !== undefined && accepts(known)) return known;
    if (this.stopping) return undefined;
    return new Promise((resolve) => {
      const finish = (value: P | undefined): void => {
        clearTimeout(timer);
        this.waiting.delete(key, waiter);
        resolve(value);
      };
      const waiter: Waiter<P> = {
        offer: (value) => {
          if (accepts(value)) finish(value);
        },
        giveUp: () => finish(undefined),
      };
      const timer = setTimeout(() => finish(undefined), timeoutMs);
      this.waiting.add(key, waiter);
    });
  }

  async stop(): Promise<void> {
    this.stopping = true;
    for (const waiter of this.waiting.values()) waiter.giveUp();
    await this.cluster.disconnect(this.consumer);
    await this.connection.deleteGroup(this.groupId).catch(() => undefined);
  }

  private applyBatch(batch: Batch): void {
    const { partition, messages } = batch;
    const [first] = messages;
    if (first && this.replay.isBehind(partition, BigInt(first.offset))) {
      this.connection.logger.warn(
        { topic: this.topic.name, partition },
        'a state topic has lower offsets than before and may have been created again: it is read again',
      );
      this.replay.begin(partition);
    }
    this.log(partition, messages);
    for (const message of messages) this.applyMessage(partition, message);
    this.advance(partition, BigInt(batch.lastOffset()) + 1n, BigInt(batch.highWatermark));
  }

  private applyMessage(partition: number, message: KafkaMessage): void {
    const { key: bytes, value, offset } = message;
    // Without its keys the state would be wrong, so the consumer ends.
    if (message instanceof UnreadableBatch)
      throw new KafkaJSNonRetriableError(`${this.topic.name}/${partition}, offset ${offset}: ${message.problem}`);
    try {
      const key = bytes?.toString() ?? '';
      const projected = value === null ? undefined : this.options.project(decodeMessage(this.topic, value), key);
      this.replay.applyValue(partition, key, projected);
    } catch (error) {
      if (!(error instanceof InvalidMessage)) throw error;
      this.connection.logger.error(
        { topic: this.topic.name, partition, offset, reason: error.message },
        'state message skipped',
      );
    }
  }

  private log(partition: number, messages: readonly KafkaMessage[]): void {
    if (this.replay.isRepeated(partition)) return;
    const passing = messages.map((m) => ({ key: m.key?.toString() ?? null, headers: recordHeaders(m) }));
    logRequests(this.connection.logger, this.topic.name, 'state received', passing);
  }

  private set(key: string, value: P | undefined): void {
    const previous = this.state.get(key);
    if (value !== undefined && previous !== undefined && this.options.isOutdated?.(value, previous)) return;
    if (value === undefined) this.state.delete(key);
    else this.state.set(key, value);
    for (const listener of this.listeners) listener(key, value, previous);
    for (const waiter of this.waiting.get(key))
      if (value === undefined) waiter.giveUp();
      else waiter.offer(value);
  }

  private advance(partition: number, next: bigint, highWatermark: bigint): void {
    this.replay.advance(partition, next, highWatermark);
    const end = this.ends.get(partition);
    if (end !== undefined && next >= end) this.ends.delete(partition);
    if (this.ends.size === 0) this.caughtUp?.();
  }

  private waitCaughtUp(): Promise<void> {
    if (this.ends.size === 0) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${this.topic.name} not read within ${caughtUpWithinMs} ms`)),
        caughtUpWithinMs,
      );
      this.caughtUp = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
