import type { MigrationInterface, QueryRunner } from 'typeorm';

/** By which change of the directory entry a row is as it is: an older one, read again, does not take it back. */
export class Lifecycle1764100000000 implements MigrationInterface {
  readonly name = 'Lifecycle1764100000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.devices ADD COLUMN lifecycle_revision bigint NOT NULL DEFAULT -1');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.devices DROP COLUMN lifecycle_revision');
  }
}
