import type { MigrationInterface, QueryRunner } from 'typeorm';

/** An async-id may be used again; once-only is what Idempotency-Key is for. */
export class CommandsByCorrelation1700000000014 implements MigrationInterface {
  readonly name = 'CommandsByCorrelation1700000000014';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command DROP CONSTRAINT command_async_id`);
    await runner.query(`CREATE INDEX command_async ON command (key_id, async_id, position)`);
    await runner.query(`
      CREATE TABLE idempotency_key (
        key_id text NOT NULL,
        idempotency_key text NOT NULL,
        fingerprint text NOT NULL,
        command_id text NOT NULL,
        stored_at timestamptz NOT NULL,
        PRIMARY KEY (key_id, idempotency_key)
      )`);
    await runner.query(`CREATE INDEX idempotency_key_stored ON idempotency_key (stored_at)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE idempotency_key`);
    await runner.query(`DROP INDEX command_async`);
    await runner.query(`ALTER TABLE command ADD CONSTRAINT command_async_id UNIQUE (key_id, async_id)`);
  }
}
