import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Versions of the objects for which a device names one, by object id: its values are read by their definitions. */
export class ObjectVersions1764300000000 implements MigrationInterface {
  readonly name = 'ObjectVersions1764300000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.devices ADD COLUMN object_versions jsonb');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE snapshot.devices DROP COLUMN object_versions');
  }
}
