import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions whose observation has attributes of its own. */
export class ObserveAttributes1796522400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions ADD COLUMN attributes text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE subscriptions DROP COLUMN attributes');
  }
}
