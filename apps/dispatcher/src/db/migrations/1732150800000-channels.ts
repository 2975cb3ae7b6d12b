import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Channels1732150800000 implements MigrationInterface {
  readonly name = 'Channels1732150800000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dispatcher.channels (
        key_id text PRIMARY KEY,
        account_id text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('callback', 'websocket', 'pull')),
        target text,
        serialization jsonb NOT NULL,
        tier text NOT NULL,
        revision bigint NOT NULL,
        created_at timestamptz(3) NOT NULL,
        CHECK ((kind = 'callback') = (target IS NOT NULL))
      )`);
    await runner.query('CREATE SEQUENCE dispatcher.channel_revisions');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP SEQUENCE dispatcher.channel_revisions');
    await runner.query('DROP TABLE dispatcher.channels');
  }
}
