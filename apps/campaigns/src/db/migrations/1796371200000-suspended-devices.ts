import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices that were suspended while a page of the selection, which may say otherwise, is on its way. */
export class SuspendedDevices1796371200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE update_campaigns ADD COLUMN suspended_devices text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE update_campaigns DROP COLUMN suspended_devices');
  }
}
