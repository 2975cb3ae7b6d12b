import type { MigrationInterface, QueryRunner } from 'typeorm';

export class BootstrapPublicKeys1796522400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE bootstrap_profiles ADD COLUMN credential_kind text NOT NULL DEFAULT 'psk'`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE bootstrap_profiles DROP COLUMN credential_kind');
  }
}
