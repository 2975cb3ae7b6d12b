import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The devices behind a gateway are found when it wakes up. */
export class DevicesByGateway1796364000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX IF NOT EXISTS device_sessions_by_gateway ON device_sessions (host_gateway)
         WHERE host_gateway IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX device_sessions_by_gateway');
  }
}
