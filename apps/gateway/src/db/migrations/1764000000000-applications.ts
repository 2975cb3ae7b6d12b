import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Applications and their access keys, and what else an account says of itself. */
export class Applications1764000000000 implements MigrationInterface {
  readonly name = 'Applications1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE accounts ADD COLUMN profile jsonb NOT NULL DEFAULT '{}'`);
    await runner.query(`
      CREATE TABLE applications (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id),
        name text NOT NULL,
        description text NOT NULL,
        status text NOT NULL CHECK (status IN ('active', 'inactive')),
        revision integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        last_used_at timestamptz
      )`);
    await runner.query('CREATE INDEX ON applications (account_id, id)');
    await runner.query(`
      CREATE TABLE access_keys (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id),
        application_id text NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
        name text NOT NULL,
        description text NOT NULL,
        hash text NOT NULL,
        status text NOT NULL CHECK (status IN ('active', 'inactive')),
        expires_at timestamptz,
        expiry_announced boolean NOT NULL,
        revision integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        last_used_at timestamptz
      )`);
    await runner.query('CREATE INDEX ON access_keys (account_id, id)');
    await runner.query('CREATE INDEX ON access_keys (application_id, id)');
    await runner.query('CREATE INDEX access_keys_expiring ON access_keys (expires_at) WHERE NOT expiry_announced');
    await runner.query(`
      CREATE TABLE application_groups (
        application_id text NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
        group_id text NOT NULL REFERENCES key_groups (id) ON DELETE CASCADE,
        PRIMARY KEY (application_id, group_id)
      )`);
    await runner.query('CREATE INDEX ON application_groups (group_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE application_groups, access_keys, applications');
    await runner.query('ALTER TABLE accounts DROP COLUMN profile');
  }
}
