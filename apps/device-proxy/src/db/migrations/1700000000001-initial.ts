import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Initial1700000000001 implements MigrationInterface {
  readonly name = 'Initial1700000000001';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE command (
        id text PRIMARY KEY,
        position bigint GENERATED ALWAYS AS IDENTITY,
        device_id text NOT NULL,
        account_id text NOT NULL,
        key_id text NOT NULL,
        async_id text NOT NULL,
        kind text NOT NULL,
        method text NOT NULL,
        path text NOT NULL,
        query text[] NOT NULL DEFAULT '{}',
        accept text,
        content_type text,
        payload bytea,
        fingerprint text NOT NULL,
        retry_max integer NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        state text NOT NULL DEFAULT 'waiting',
        accepted_at timestamptz NOT NULL,
        accepted_by text NOT NULL,
        expires_at timestamptz NOT NULL,
        stored_at timestamptz NOT NULL DEFAULT now(),
        claimed_by text,
        claim_epoch bigint,
        claim_until timestamptz,
        finished_at timestamptz,
        status integer,
        error text,
        note text,
        result bytea,
        result_type text,
        result_max_age bigint,
        CONSTRAINT command_async_id UNIQUE (key_id, async_id)
      )`);
    await runner.query(
      `CREATE INDEX command_queue ON command (device_id, position) WHERE state IN ('waiting', 'executing')`,
    );
    await runner.query(`CREATE INDEX command_expiry ON command (expires_at) WHERE state IN ('waiting', 'executing')`);
    await runner.query(`CREATE INDEX command_stored ON command (stored_at) WHERE state = 'waiting'`);
    await runner.query(`CREATE INDEX command_history ON command (key_id, id)`);
    await runner.query(`CREATE INDEX command_finished ON command (finished_at) WHERE finished_at IS NOT NULL`);
    await runner.query(`
      CREATE TABLE subscription (
        key_id text NOT NULL,
        device_id text NOT NULL,
        path text NOT NULL,
        account_id text NOT NULL,
        origin text NOT NULL,
        status text NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (device_id, path, key_id)
      )`);
    await runner.query(`CREATE INDEX subscription_key ON subscription (key_id)`);
    await runner.query(`
      CREATE TABLE interest_change (
        device_id text PRIMARY KEY,
        changed_at timestamptz NOT NULL DEFAULT now()
      )`);
    await runner.query(`CREATE INDEX interest_changed ON interest_change (changed_at)`);
    await runner.query(`
      CREATE TABLE presubscription (
        key_id text PRIMARY KEY,
        account_id text NOT NULL,
        rules jsonb NOT NULL,
        changed_at timestamptz NOT NULL
      )`);
    await runner.query(`CREATE INDEX presubscription_account ON presubscription (account_id)`);
    await runner.query(`
      CREATE TABLE first_contact (
        account_id text NOT NULL,
        endpoint_name text NOT NULL,
        device_id text NOT NULL UNIQUE,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (account_id, endpoint_name)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DROP TABLE first_contact, presubscription, interest_change, subscription, command`);
  }
}
