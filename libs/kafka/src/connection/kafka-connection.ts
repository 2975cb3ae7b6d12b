import { setTimeout as sleep } from 'node:timers/promises';
import { deadLetterTopic, type TopicDescription } from '@lanyard/contracts';
import { type KafkaSecurity, type Logger, type Metrics, awaiting, reached } from '@lanyard/service';
import kafkajs, { type Admin, type ITopicConfig, type Kafka, type SASLOptions } from 'kafkajs';
import { replaceParts } from '../kafkajs/replacements.js';
import { logTo } from './kafka-log.js';
import {
  changeOf,
  compaction,
  deadLetterBytesMax,
  type Durability,
  defaultMinInsyncReplicas,
  durabilityOf,
  isCompacted,
  messageBytesMax,
  sizeSetting,
  topicSettings,
} from './topic-settings.js';

// Not everything of this CommonJS package is a named export to an ES module.
const { KafkaJSAggregateError, KafkaJSError, KafkaJSProtocolError, logLevel } = kafkajs;

export interface KafkaOptions {
  brokers: string[];
  clientId: string;
  /** Put before every topic and group name: several installations may share a cluster. */
  topicPrefix?: string;
  /** Number of partitions of topics that this connection creates. An existing topic stays as it is. */
  partitions?: number;
  /**
   * min.insync.replicas for topics that have at least three replicas, and no value of their own. 1: Kafka's settings
   * stay as they are. Default: 2.
   */
  minInsyncReplicas?: number;
  logger: Logger;
  metrics?: Metrics;
  security?: KafkaSecurity;
  /** KAFKAJS_REPLACEMENTS. Default: all. */
  replacements?: string;
}

const defaultPartitions = 8;

/** The default of the cluster. */
const ofCluster = -1;

/** A broker on a machine that was busy with other work took more than 60 s. */
const topicKnownWithinMs = 120_000;
const createRetryDelayMs = 500;

/** Dead letters are kept long enough to be looked at after a holiday. */
const deadLetterRetentionMs = 14 * 86_400_000;

const configOf = (topic: TopicDescription): ITopicConfig['configEntries'] =>
  topic.kind === 'state'
    ? [sizeSetting(messageBytesMax), ...compaction]
    : [
        sizeSetting(messageBytesMax),
        { name: 'cleanup.policy', value: 'delete' },
        { name: 'retention.ms', value: String(topic.retentionMs) },
      ];

const existsAlready = (error: unknown): boolean =>
  (error instanceof KafkaJSProtocolError && error.type === 'TOPIC_ALREADY_EXISTS') ||
  (error instanceof KafkaJSAggregateError && (error.errors as unknown[]).every(existsAlready));

/** Errors of `createTopics` for several topics: an overloaded controller has created some of them, or none. */
export const mayBeTriedAgain = (error: unknown): boolean =>
  error instanceof KafkaJSAggregateError
    ? (error.errors as unknown[]).every(mayBeTriedAgain)
    : existsAlready(error) || (error instanceof KafkaJSError && error.retriable);

/** The connection of one application to a Kafka cluster. No other file makes a kafkajs client. */
export class KafkaConnection {
  readonly kafka: Kafka;
  readonly logger: Logger;
  readonly metrics: Metrics | undefined;
  readonly clientId: string;
  private readonly prefix: string;
  private connectedAdmin: Promise<Admin> | undefined;
  private isClosed = false;
  private hasWarnedOfOneReplica = false;
  /** Name on the cluster of a topic of this app, once `ensureTopics` has resolved. */
  private ownTopic: string | undefined;

  constructor(private readonly options: KafkaOptions) {
    replaceParts(options.replacements);
    this.prefix = options.topicPrefix ?? '';
    this.logger = options.logger;
    this.metrics = options.metrics;
    this.clientId = options.clientId;
    const { tls, login } = options.security ?? {};
    this.kafka = new kafkajs.Kafka({
      brokers: options.brokers,
      clientId: options.clientId,
      ...(tls && { ssl: { ...tls } }),
      // A copy: kafkajs keeps its authenticator in it.
      ...(login && { sasl: { ...login } as SASLOptions }),
      connectionTimeout: 3_000,
      requestTimeout: 30_000,
      retry: { retries: 8, initialRetryTime: 200, maxRetryTime: 5_000 },
      logLevel: logLevel.WARN,
      logCreator: logTo(options.logger),
    });
  }

  topicName(name: string): string {
    return this.prefix + name;
  }

  /** Waits for `work`. If the start times out meanwhile, its error names `what` and the brokers. */
  awaiting<T>(what: string, work: Promise<T>): Promise<T> {
    return awaiting(`Kafka at ${this.options.brokers.join(',')}: ${what}`, work);
  }

  /**
   * Creates the topics that do not exist, waits for their leaders, and adjusts their settings. Retries for about two
   * minutes while Kafka is overloaded. Several replicas may call this at the same time.
   */
  async ensureTopics(topics: readonly TopicDescription[]): Promise<void> {
    const numPartitions = this.options.partitions ?? defaultPartitions;
    const creating = this.create(
      topics.map((topic) => ({
        topic: this.topicName(topic.name),
        numPartitions,
        replicationFactor: ofCluster,
        configEntries: configOf(topic),
      })),
      messageBytesMax,
    );
    await this.awaiting('topics', creating);
    this.ownTopic = topics[0] && this.topicName(topics[0].name);
  }

  async ensureDeadLetters(topicName: string, group: string): Promise<string> {
    const topic = this.topicName(deadLetterTopic(topicName, group));
    const retention = { name: 'retention.ms', value: String(deadLetterRetentionMs) };
    const configEntries = [sizeSetting(deadLetterBytesMax), retention];
    await this.create([{ topic, numPartitions: 1, replicationFactor: ofCluster, configEntries }], deadLetterBytesMax);
    return topic;
  }

  /** For each partition of a topic: `low`, its first offset, and `high`, the offset that its next message will have. */
  async offsets(topicName: string): Promise<Map<number, { low: bigint; high: bigint }>> {
    const rows = await this.withRetries((admin) => admin.fetchTopicOffsets(this.topicName(topicName)));
    return new Map(rows.map((row) => [row.partition, { low: BigInt(row.low), high: BigInt(row.high) }]));
  }

  /** Number of partitions of a topic, by its name on the cluster. */
  async partitionsOf(topicOnCluster: string): Promise<number> {
    const { topics } = await this.withRetries((admin) => admin.fetchTopicMetadata({ topics: [topicOnCluster] }));
    return topics[0]?.partitions.length ?? 0;
  }

  /** Of each partition, the first offset whose message is not older than `atMs`; its end when all are. */
  async offsetsAt(topicName: string, atMs: number): Promise<Map<number, bigint>> {
    const rows = await this.withRetries((admin) =>
      admin.fetchTopicOffsetsByTimestamp(this.topicName(topicName), Math.trunc(atMs)),
    );
    return new Map(rows.map((row) => [row.partition, BigInt(row.offset)]));
  }

  async deleteGroup(groupId: string): Promise<void> {
    const admin = await this.admin();
    await admin.deleteGroups([groupId]);
  }

  /** Rejects when no broker answers: a readiness check. */
  async check(): Promise<void> {
    const admin = await this.admin();
    // A description of the cluster contains all of its topics, and other installations may have thousands.
    await (this.ownTopic ? admin.fetchTopicMetadata({ topics: [this.ownTopic] }) : admin.describeCluster());
  }

  /** Requests from now on are rejected. */
  async close(): Promise<void> {
    this.isClosed = true;
    const admin = await this.connectedAdmin?.catch(() => undefined);
    this.connectedAdmin = undefined;
    await admin?.disconnect();
  }

  private async create(topics: ITopicConfig[], bytesMax: number): Promise<void> {
    await this.createMissing(topics);
    await this.waitForLeaders(topics.map((t) => t.topic));
    await this.adjustSettings(topics, bytesMax);
  }

  private async createMissing(topics: ITopicConfig[]): Promise<void> {
    for (const end = performance.now() + topicKnownWithinMs; ;) {
      // Rejects at once when no broker answers.
      const admin = await this.admin();
      // While its connections come back, kafkajs fails here with a TypeError.
      const known = new Set(await this.withRetries(() => admin.listTopics()));
      const missing = topics.filter((t) => !known.has(t.topic));
      if (missing.length === 0) return;
      try {
        await admin.createTopics({ topics: missing, waitForLeaders: false, timeout: 30_000 });
        return;
      } catch (error) {
        if (existsAlready(error)) return;
        if (!mayBeTriedAgain(error) || performance.now() > end) throw error;
        this.logger.warn({ err: error }, 'topics could not be created, will be retried');
      }
      await sleep(createRetryDelayMs);
    }
  }

  /**
   * Gives topics the settings that they need. A cluster may refuse to show or to change settings: then a warning says
   * what that means, and this resolves.
   */
  private async adjustSettings(created: ITopicConfig[], bytesMax: number): Promise<void> {
    const names = created.map(({ topic }) => topic);
    const compacted = new Set(created.filter(isCompacted).map(({ topic }) => topic));
    const wanted = this.options.minInsyncReplicas ?? defaultMinInsyncReplicas;
    try {
      const admin = await this.admin();
      const topics = await topicSettings(admin, names);
      this.logRisks(durabilityOf(topics, wanted));
      const resources = topics.flatMap((topic) => changeOf(topic, wanted, bytesMax, compacted.has(topic.name)) ?? []);
      if (resources.length > 0) await admin.alterConfigs({ validateOnly: false, resources });
    } catch (error) {
      this.logger.warn(
        { err: error, topics: names },
        'settings of topics were not read or changed: values of 1 MiB may not fit, and min.insync.replicas and cleanup.policy are not known',
      );
    }
  }

  private logRisks({ unreplicated, unconfirmed }: Durability): void {
    if (unconfirmed.length > 0)
      this.logger.error(
        { topics: unconfirmed },
        'confirmed messages are lost when one broker fails: set min.insync.replicas of these topics to 2 or more',
      );
    if (unreplicated.length === 0 || this.hasWarnedOfOneReplica) return;
    this.hasWarnedOfOneReplica = true;
    this.logger.warn(
      { topics: unreplicated },
      'topics have one replica: confirmed messages are lost with the disk of its broker',
    );
  }

  /** A topic that was created a moment ago, perhaps by another replica, is not known everywhere at once. */
  private async waitForLeaders(topics: string[]): Promise<void> {
    await this.withRetries(async (admin) => {
      const { topics: found } = await admin.fetchTopicMetadata({ topics });
      const leaderless = found.filter((t) => t.partitions.length === 0 || t.partitions.some((p) => p.leader < 0));
      if (leaderless.length > 0)
        throw new Error(`topics without a leader: ${leaderless.map((t) => t.name).join(', ')}`);
    });
  }

  /** Retries for `topicKnownWithinMs`, because requests fail while brokers do not know a new topic yet. */
  private async withRetries<T>(ask: (admin: Admin) => Promise<T>): Promise<T> {
    for (const end = performance.now() + topicKnownWithinMs; ;) {
      try {
        return await ask(await this.admin());
      } catch (error) {
        if (this.isClosed || performance.now() > end) throw error;
      }
      await sleep(100);
    }
  }

  private async admin(): Promise<Admin> {
    if (this.isClosed) throw new Error('the connection to Kafka is closed');
    this.connectedAdmin ??= (async () => {
      const admin = this.kafka.admin();
      await reached('Kafka', this.options.brokers.join(','), admin.connect());
      return admin;
    })();
    this.connectedAdmin.catch(() => (this.connectedAdmin = undefined));
    return this.connectedAdmin;
  }
}
