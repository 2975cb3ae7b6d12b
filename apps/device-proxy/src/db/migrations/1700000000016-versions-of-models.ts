import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices of one account may have different versions of an object. */
export class VersionsOfModels1700000000016 implements MigrationInterface {
  readonly name = 'VersionsOfModels1700000000016';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE object_model DROP CONSTRAINT object_model_object`);
    await runner.query(
      `ALTER TABLE object_model ADD CONSTRAINT object_model_version UNIQUE (account_id, object_id, version)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE object_model DROP CONSTRAINT object_model_version`);
    await runner.query(`ALTER TABLE object_model ADD CONSTRAINT object_model_object UNIQUE (account_id, object_id)`);
  }
}
