import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ExpiringCertificates1796436000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE INDEX IF NOT EXISTS device_credentials_by_expiry ON device_credentials (account_id, expires_at) WHERE expires_at IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX device_credentials_by_expiry');
  }
}
