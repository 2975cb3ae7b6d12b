import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The gateway that a device is behind: the device is awake when its gateway is. */
export class HostGateways1796356800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE device_sessions ADD COLUMN host_gateway text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE device_sessions DROP COLUMN host_gateway');
  }
}
