import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What was announced of the events that channels lost. Outlives a channel until its last losses are announced. */
export class DropReports1732237200000 implements MigrationInterface {
  readonly name = 'DropReports1732237200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE dispatcher.drop_reports (
        key_id text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        size bigint NOT NULL DEFAULT 0,
        age bigint NOT NULL DEFAULT 0,
        failed bigint NOT NULL DEFAULT 0,
        ending text,
        is_final boolean NOT NULL DEFAULT false,
        changed_at timestamptz(3) NOT NULL,
        PRIMARY KEY (key_id, created_at)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE dispatcher.drop_reports');
  }
}
