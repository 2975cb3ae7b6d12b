import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Devices that were deleted while a page of the selection, which may hold them, is on its way. */
export class DeletedDevices1796367600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE update_campaigns ADD COLUMN deleted_devices text[] NOT NULL DEFAULT '{}'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE update_campaigns DROP COLUMN deleted_devices');
  }
}
