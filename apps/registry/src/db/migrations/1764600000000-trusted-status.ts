import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Only verified issuers are unique over all accounts: one that an account has not signed for excludes no other account. */
export class TrustedStatus1764600000000 implements MigrationInterface {
  readonly name = 'TrustedStatus1764600000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE registry.trusted_certificates
        ADD COLUMN description text NOT NULL DEFAULT '',
        ADD COLUMN issuer text NOT NULL DEFAULT '',
        ADD COLUMN status text NOT NULL DEFAULT 'ACTIVE',
        ADD COLUMN verified boolean NOT NULL DEFAULT true`);
    await runner.query('DROP INDEX registry.trusted_certificates_fingerprint');
    await runner.query(
      'CREATE UNIQUE INDEX trusted_certificates_verified ON registry.trusted_certificates (fingerprint) WHERE verified',
    );
    await runner.query(
      'CREATE UNIQUE INDEX trusted_certificates_of_account ON registry.trusted_certificates (account_id, fingerprint)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM registry.trusted_certificates WHERE NOT verified');
    await runner.query('DROP INDEX registry.trusted_certificates_verified, registry.trusted_certificates_of_account');
    await runner.query(
      'CREATE UNIQUE INDEX trusted_certificates_fingerprint ON registry.trusted_certificates (fingerprint)',
    );
    await runner.query(
      'ALTER TABLE registry.trusted_certificates DROP COLUMN description, DROP COLUMN issuer, DROP COLUMN status, DROP COLUMN verified',
    );
  }
}
