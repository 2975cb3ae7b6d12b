import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Distinguishes suspensions that were overtaken from new ones. */
export class LifecycleRevisions1796342400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE device_sessions ADD COLUMN lifecycle_revision bigint NOT NULL DEFAULT -1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE device_sessions DROP COLUMN lifecycle_revision');
  }
}
