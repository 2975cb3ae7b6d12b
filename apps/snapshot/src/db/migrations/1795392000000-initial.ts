import { sqlMigration } from '@lanyard/service';

export class Initial1795392000000 extends sqlMigration({
  up: `
    -- lifecycle_revision: the change of the directory entry that the row reflects; an older one, read again, does not
    -- take it back. object_versions: by object id, where the device names a version.
    CREATE TABLE devices (
      device_id text PRIMARY KEY,
      account_id text NOT NULL,
      endpoint_name text NOT NULL DEFAULT '',
      session_epoch bigint NOT NULL DEFAULT -1,
      lifecycle_revision bigint NOT NULL DEFAULT -1,
      registration_event_at timestamptz,
      last_connected_at timestamptz NOT NULL,
      deleted_at timestamptz,
      object_versions jsonb
    );
    CREATE INDEX devices_by_last_connection ON devices (last_connected_at);

    -- reported_measured: whether reported_at is the time of the device, which then orders the values.
    CREATE TABLE resources (
      device_id text NOT NULL,
      path text NOT NULL,
      reported_value bytea,
      reported_content_type text,
      reported_at timestamptz,
      reported_measured boolean NOT NULL DEFAULT false,
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
    ) WITH (fillfactor = 80);

    CREATE TABLE subscriptions (
      device_id text NOT NULL,
      key_id text NOT NULL,
      path text NOT NULL,
      status text NOT NULL,
      changed_at timestamptz NOT NULL,
      PRIMARY KEY (device_id, key_id, path)
    )`,
  down: 'DROP TABLE subscriptions, resources, devices',
}) {}
