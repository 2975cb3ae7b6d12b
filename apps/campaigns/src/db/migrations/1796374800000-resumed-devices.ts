import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices that were resumed while a page of the selection, which may say that they are suspended, is on its way. */
export class ResumedDevices1796374800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE update_campaigns ADD COLUMN resumed_devices text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE update_campaigns DROP COLUMN resumed_devices');
  }
}
