import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Scopes1796432400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys ADD COLUMN device_groups text[], ADD COLUMN source_addresses text[];
      ALTER TABLE key_groups ADD COLUMN device_groups text[]`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE key_groups DROP COLUMN device_groups;
      ALTER TABLE api_keys DROP COLUMN device_groups, DROP COLUMN source_addresses`);
  }
}
