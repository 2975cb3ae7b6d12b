import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The devices that an import makes are announced with the call that brought it. */
export class RequestOfAnImport1764200000001 implements MigrationInterface {
  readonly name = 'RequestOfAnImport1764200000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry.device_imports ADD COLUMN request_id text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry.device_imports DROP COLUMN request_id');
  }
}
