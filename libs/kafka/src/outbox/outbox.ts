import { encodeMessage, type EncodedMessage, encodeTombstone, type Topic } from '@lanyard/contracts';
import type { EntityManager, MigrationInterface, QueryRunner } from 'typeorm';
import type { SendMeta } from '../producer/kafka-producer.js';

export const outboxChannel = (schema: string): string => `${schema}_outbox`;

/** The table, for the migrations list of an app. */
export const outboxMigration = (schema: string): new () => MigrationInterface =>
  class Outbox1700000000000 implements MigrationInterface {
    readonly name = 'Outbox1700000000000';

    async up(runner: QueryRunner): Promise<void> {
      await runner.query(`
        CREATE TABLE ${schema}.outbox (
          id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
          topic text NOT NULL,
          message_key text NOT NULL,
          value bytea,
          headers jsonb NOT NULL,
          created_at timestamptz NOT NULL DEFAULT now()
        )`);
    }

    async down(runner: QueryRunner): Promise<void> {
      await runner.query(`DROP TABLE ${schema}.outbox`);
    }
  };

/**
 * Announces a change in the transaction that makes it. Lock the row of the aggregate before, so that the
 * announcements of one key are appended in the order of their commits.
 */
export class Outbox {
  constructor(
    private readonly schema: string,
    private readonly source: string,
  ) {}

  /** Throws InvalidMessage when the value does not fit the topic: the transaction should fail. */
  async append<V>(manager: EntityManager, topic: Topic<V>, value: NoInfer<V>, meta: SendMeta = {}): Promise<void> {
    await this.insert(manager, topic.name, encodeMessage(topic, value, { ...meta, source: this.source }));
  }

  /** Many at once, in order. */
  async appendAll<V>(manager: EntityManager, topic: Topic<V>, values: readonly NoInfer<V>[]): Promise<void> {
    for (const value of values) await this.append(manager, topic, value);
  }

  async appendTombstone<V>(manager: EntityManager, topic: Topic<V>, key: string): Promise<void> {
    await this.insert(manager, topic.name, encodeTombstone(topic, key, { source: this.source }));
  }

  private async insert(
    manager: EntityManager,
    topicName: string,
    { key, value, headers }: EncodedMessage,
  ): Promise<void> {
    await manager.query(
      `WITH stored AS (INSERT INTO ${this.schema}.outbox (topic, message_key, value, headers) VALUES ($1, $2, $3, $4))
       SELECT pg_notify($5, '')`,
      [topicName, key, value, JSON.stringify(headers), outboxChannel(this.schema)],
    );
  }
}
