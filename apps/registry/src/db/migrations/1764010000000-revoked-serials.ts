import type { MigrationInterface, QueryRunner } from 'typeorm';

export class RevokedSerials1764010000000 implements MigrationInterface {
  readonly name = 'RevokedSerials1764010000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE registry.trusted_certificates ADD COLUMN revoked_serials text[] NOT NULL DEFAULT '{}'`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE registry.trusted_certificates DROP COLUMN revoked_serials');
  }
}
