import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Pages of selections that were requested and are not answered yet. */
export class SelectionRequests1796533200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE selection_requests (
         selection_id text NOT NULL,
         page integer NOT NULL,
         account_id text NOT NULL,
         request json NOT NULL,
         -- Queries that took too long.
         attempts integer NOT NULL DEFAULT 0,
         tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
         PRIMARY KEY (selection_id, page)
       )`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE selection_requests');
  }
}
