import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Accounts below the first one, quotas, named permissions, expiry and rotation of keys. */
export class Tenants1763800000000 implements MigrationInterface {
  readonly name = 'Tenants1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE accounts
        ADD COLUMN parent_id text REFERENCES accounts (id),
        ADD COLUMN email text,
        ADD COLUMN company text,
        ADD COLUMN limits jsonb NOT NULL DEFAULT '{}'`);
    await runner.query('ALTER TABLE key_groups ADD COLUMN permissions text[]');
    await runner.query(`
      ALTER TABLE api_keys
        ADD COLUMN expires_at timestamptz,
        ADD COLUMN expiry_announced boolean NOT NULL DEFAULT false,
        ADD COLUMN previous_hash text,
        ADD COLUMN previous_until timestamptz`);
    await runner.query('CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE NOT expiry_announced');
    await runner.query('CREATE INDEX api_keys_rotating ON api_keys (previous_until) WHERE previous_until IS NOT NULL');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE api_keys DROP COLUMN expires_at, DROP COLUMN expiry_announced, DROP COLUMN previous_hash,
        DROP COLUMN previous_until`);
    await runner.query('ALTER TABLE key_groups DROP COLUMN permissions');
    await runner.query(
      'ALTER TABLE accounts DROP COLUMN parent_id, DROP COLUMN email, DROP COLUMN company, DROP COLUMN limits',
    );
  }
}
