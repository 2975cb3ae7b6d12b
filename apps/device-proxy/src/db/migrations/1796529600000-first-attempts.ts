import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The answer of a subscription is recognised when its command is carried out again. */
export class FirstAttempts1796529600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands ADD COLUMN first_attempted_at timestamptz');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE commands DROP COLUMN first_attempted_at');
  }
}
