import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts whose clients expect 204 of `PUT /v2/subscriptions`. */
export class PresubscriptionsNoContent1764700000000 implements MigrationInterface {
  readonly name = 'PresubscriptionsNoContent1764700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts ADD COLUMN presubscriptions_no_content boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE accounts DROP COLUMN presubscriptions_no_content');
  }
}
