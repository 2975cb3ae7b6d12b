import { encodeMessage, type EncodedMessage, encodeTombstone, InvalidMessage, type Topic } from '@lanyard/contracts';
import { PreparedStatement } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import { AnnouncedChange, type Announcement } from './announced-change.js';
import { causeOf } from './cause.js';
import { RelayCall } from './relay-call.js';
import { messageBytesMax } from '../connection/topic-settings.js';
import type { SendMeta } from '../producer/kafka-producer.js';

/** The name of a relay's producer: the same in every replica (docs/adr/0017). */
export const outboxProducer = (schema: string): string => `${schema}.outbox`;

export const outboxChannel = (schema: string): string => `${schema}_outbox`;

/** SQL that creates the table, for the initial migration of a service. */
export const outboxTable = `
  CREATE TABLE outbox_messages (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic text NOT NULL,
    message_key text NOT NULL,
    value bytea,
    headers jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
  )`;

/** Enough for key and headers, and what Kafka adds. */
const besideValueBytesMax = 65_536;

/** The relay could never send a larger message, nor anything that is appended after it. */
const fitting = (topicName: string, message: EncodedMessage): EncodedMessage => {
  const length = message.value?.length ?? 0;
  if (length <= messageBytesMax - besideValueBytesMax) return message;
  throw new InvalidMessage(topicName, `value: ${length} bytes are more than a message may have`);
};

/** Values per statement; a parameter contains all values of a column. */
const appendBatch = 5_000;

/**
 * Announces a change in the transaction that makes it. Lock the row of the aggregate before, so that the
 * announcements of one key are appended in the order of their commits.
 */
export class Outbox {
  private readonly relay: RelayCall;
  private readonly insertion: PreparedStatement<never>;

  constructor(
    private readonly schema: string,
    private readonly source: string,
  ) {
    this.relay = new RelayCall(outboxChannel(schema));
    // ORDER BY is evaluated before the identity column, which numbers the rows in that order.
    this.insertion = new PreparedStatement(
      `INSERT INTO ${schema}.outbox_messages (topic, message_key, value, headers)
       SELECT $1, key, value, headers
       FROM unnest($2::text[], $3::bytea[], $4::jsonb[]) WITH ORDINALITY AS m (key, value, headers, n) ORDER BY n`,
    );
  }

  /** The relay in this process. */
  connect(relay: { pokeLeader(): boolean }): void {
    this.relay.callOwnRelay = () => relay.pokeLeader();
  }

  /** Throws InvalidMessage when the value does not fit the topic, or is too large: the transaction should fail. */
  async append<V>(manager: EntityManager, topic: Topic<V>, value: NoInfer<V>, meta: SendMeta = {}): Promise<void> {
    await this.insert(manager, topic.name, [this.encode(manager, topic, value, meta)]);
  }

  /**
   * Many at once, in order: one statement for up to 5,000. `metaOf`: the metadata of the value at an index. Throws
   * InvalidMessage before anything is stored.
   */
  async appendAll<V>(
    manager: EntityManager,
    topic: Topic<V>,
    values: readonly NoInfer<V>[],
    metaOf: (n: number) => SendMeta = () => ({}),
  ): Promise<void> {
    const messages = values.map((value, n) => this.encode(manager, topic, value, metaOf(n)));
    for (let from = 0; from < messages.length; from += appendBatch)
      await this.insert(manager, topic.name, messages.slice(from, from + appendBatch));
  }

  async appendTombstone<V>(manager: EntityManager, topic: Topic<V>, key: string): Promise<void> {
    await this.insert(manager, topic.name, [encodeTombstone(topic, key, { ...causeOf(manager), source: this.source })]);
  }

  /**
   * For changes of few rows that are made all the time: see `AnnouncedChange`. `lingerMs`: how long the announcement may wait
   * for others, with which it is relayed together.
   */
  changing(change: string, parameters: number, lingerMs = 0): AnnouncedChange {
    return new AnnouncedChange(this.schema, change, parameters, (manager) =>
      this.relay.callAfterCommit(manager, lingerMs),
    );
  }

  /** For `AnnouncedChange.make`. Throws InvalidMessage when the value does not fit the topic, or is too large. */
  announcement<V>(topic: Topic<V>, value: NoInfer<V>, meta: SendMeta = {}): Announcement {
    const message = encodeMessage(topic, value, { ...meta, source: this.source });
    return { topic: topic.name, message: fitting(topic.name, message) };
  }

  private encode<V>(manager: EntityManager, topic: Topic<V>, value: V, meta: SendMeta): EncodedMessage {
    return fitting(topic.name, encodeMessage(topic, value, { ...causeOf(manager), ...meta, source: this.source }));
  }

  private async insert(manager: EntityManager, topicName: string, messages: readonly EncodedMessage[]): Promise<void> {
    await this.insertion.run(manager, [
      topicName,
      messages.map(({ key }) => key),
      messages.map(({ value }) => value),
      messages.map(({ headers }) => JSON.stringify(headers)),
    ]);
    this.relay.callAfterCommit(manager);
  }
}
