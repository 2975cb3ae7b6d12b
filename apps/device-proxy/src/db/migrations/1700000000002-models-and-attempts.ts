import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ModelsAndAttempts1700000000002 implements MigrationInterface {
  readonly name = 'ModelsAndAttempts1700000000002';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE command ADD COLUMN attempted_at timestamptz`);
    await runner.query(`
      CREATE TABLE object_model (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        object_id integer NOT NULL,
        name text NOT NULL,
        version text NOT NULL,
        resources jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        CONSTRAINT object_model_object UNIQUE (account_id, object_id)
      )`);
    await runner.query(`
      CREATE TABLE firmware_report (
        device_id text NOT NULL,
        source text NOT NULL,
        state integer,
        result integer,
        PRIMARY KEY (device_id, source)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE firmware_report, object_model`);
    await runner.query(`ALTER TABLE command DROP COLUMN attempted_at`);
  }
}
