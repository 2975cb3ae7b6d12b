import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The bootstraps of a device are deleted with it, also those that have ended. */
export class BootstrapsByDevice1796540400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX IF NOT EXISTS bootstraps_by_device ON bootstraps (device_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX bootstraps_by_device');
  }
}
