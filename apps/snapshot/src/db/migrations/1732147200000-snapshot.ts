import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Snapshot1732147200000 implements MigrationInterface {
  readonly name = 'Snapshot1732147200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE snapshot.devices (
        device_id text PRIMARY KEY,
        account_id text NOT NULL,
        endpoint_name text NOT NULL DEFAULT '',
        session_epoch bigint NOT NULL DEFAULT -1,
        registration_event_at timestamptz,
        last_connected_at timestamptz NOT NULL,
        deleted_at timestamptz
      )`);
    await runner.query('CREATE INDEX devices_by_last_connection ON snapshot.devices (last_connected_at)');
    await runner.query(`
      CREATE TABLE snapshot.resources (
        device_id text NOT NULL,
        path text NOT NULL,
        reported_value bytea,
        reported_content_type text,
        reported_at timestamptz,
        reported_expires_at timestamptz,
        reported_epoch bigint,
        reported_sequence bigint,
        desired_value bytea,
        desired_content_type text,
        desired_status smallint,
        desired_at timestamptz,
        desired_command_id text,
        status_updated_at timestamptz,
        PRIMARY KEY (device_id, path)
      ) WITH (fillfactor = 80)`);
    await runner.query(`
      CREATE TABLE snapshot.subscriptions (
        device_id text NOT NULL,
        key_id text NOT NULL,
        path text NOT NULL,
        status text NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (device_id, key_id, path)
      )`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE snapshot.subscriptions, snapshot.resources, snapshot.devices');
  }
}
