import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Access1732147200000 implements MigrationInterface {
  readonly name = 'Access1732147200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE accounts (
        id text PRIMARY KEY,
        display_name text NOT NULL,
        tier text NOT NULL CHECK (tier IN ('free', 'commercial')),
        status text NOT NULL CHECK (status IN ('active', 'suspended')),
        auto_create_devices boolean NOT NULL,
        revision integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE key_groups (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id),
        name text NOT NULL,
        kind text NOT NULL CHECK (kind IN ('administrators', 'developers', 'custom')),
        revision integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        CONSTRAINT key_groups_name UNIQUE (account_id, name)
      )`);
    await runner.query(`CREATE UNIQUE INDEX ON key_groups (account_id, kind) WHERE kind <> 'custom'`);
    await runner.query(`
      CREATE TABLE api_keys (
        id text PRIMARY KEY,
        account_id text NOT NULL REFERENCES accounts (id),
        name text NOT NULL,
        owner text,
        hash text NOT NULL,
        status text NOT NULL CHECK (status IN ('active', 'inactive')),
        revision integer NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        last_login_at timestamptz
      )`);
    await runner.query(`CREATE INDEX ON api_keys (account_id, id)`);
    await runner.query(`
      CREATE TABLE api_key_groups (
        key_id text NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
        group_id text NOT NULL REFERENCES key_groups (id) ON DELETE CASCADE,
        PRIMARY KEY (key_id, group_id)
      )`);
    await runner.query(`CREATE INDEX ON api_key_groups (group_id)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE api_key_groups, api_keys, key_groups, accounts');
  }
}
