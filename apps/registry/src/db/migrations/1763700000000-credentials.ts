import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Credentials1763700000000 implements MigrationInterface {
  readonly name = 'Credentials1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.device_credentials (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        device_id text NOT NULL REFERENCES registry.devices (id) ON DELETE CASCADE,
        kind text NOT NULL,
        identity text,
        sealed_key text,
        fingerprint text,
        certificate text,
        subject text,
        expires_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE INDEX device_credentials_by_device ON registry.device_credentials (device_id)');
    // Over all accounts: a device that connects is known by nothing else.
    await runner.query('CREATE UNIQUE INDEX device_credentials_identity ON registry.device_credentials (identity)');
    await runner.query(
      'CREATE UNIQUE INDEX device_credentials_fingerprint ON registry.device_credentials (fingerprint)',
    );
    await runner.query(`
      CREATE TABLE registry.trusted_certificates (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        name text NOT NULL,
        certificate text NOT NULL,
        fingerprint text NOT NULL,
        subject text NOT NULL,
        expires_at timestamptz NOT NULL,
        enrolment boolean NOT NULL,
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE INDEX trusted_certificates_by_account ON registry.trusted_certificates (account_id)');
    await runner.query(
      'CREATE UNIQUE INDEX trusted_certificates_fingerprint ON registry.trusted_certificates (fingerprint)',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry.trusted_certificates, registry.device_credentials');
  }
}
