import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Failures of a selection other than slow queries, and when it is tried again. */
export class SelectionFailures1796536800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE selection_requests ADD COLUMN failures integer NOT NULL DEFAULT 0,
         ADD COLUMN due_at timestamptz NOT NULL DEFAULT clock_timestamp()`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE selection_requests DROP COLUMN failures, DROP COLUMN due_at');
  }
}
