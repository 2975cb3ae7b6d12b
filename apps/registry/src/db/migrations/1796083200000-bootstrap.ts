import { sqlMigration } from '@lanyard/service';

const credentials = `
  ALTER TABLE device_credentials
    ADD COLUMN service text NOT NULL DEFAULT 'lwm2m',
    -- Created by the registry for a bootstrap, whose id it has; provisional until that has succeeded.
    ADD COLUMN bootstrapped boolean NOT NULL DEFAULT false,
    ADD COLUMN provisional boolean NOT NULL DEFAULT false;
  ALTER TABLE trusted_certificates ADD COLUMN service text NOT NULL DEFAULT 'lwm2m'`;

const profiles = `
  CREATE TABLE bootstrap_profiles (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    scope text NOT NULL,
    device_id text REFERENCES devices (id) ON DELETE CASCADE,
    group_id text REFERENCES device_groups (id) ON DELETE CASCADE,
    server_uri text NOT NULL,
    short_server_id integer NOT NULL,
    lifetime_seconds integer NOT NULL,
    binding text NOT NULL,
    notification_storing boolean NOT NULL,
    default_min_period_seconds integer,
    default_max_period_seconds integer,
    delete_paths jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX bootstrap_profiles_name ON bootstrap_profiles (account_id, name);
  -- At most one for each device, group and account.
  CREATE UNIQUE INDEX bootstrap_profiles_target ON bootstrap_profiles (account_id, COALESCE(device_id, group_id, ''));
  CREATE INDEX bootstrap_profiles_by_device ON bootstrap_profiles (device_id);
  CREATE INDEX bootstrap_profiles_by_group ON bootstrap_profiles (group_id)`;

const bootstraps = `
  -- A fact that is read again changes nothing: each of these starts once and ends once.
  CREATE TABLE bootstraps (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    device_id text NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    state text NOT NULL DEFAULT 'started',
    data jsonb NOT NULL,
    expires_at timestamptz NOT NULL,
    ended_at timestamptz
  );
  CREATE INDEX bootstraps_open_by_device ON bootstraps (device_id) WHERE state = 'started';
  CREATE INDEX bootstraps_open ON bootstraps (expires_at) WHERE state = 'started';
  CREATE INDEX bootstraps_ended ON bootstraps (ended_at) WHERE state <> 'started'`;

export class Bootstrap1796083200000 extends sqlMigration({
  up: [credentials, profiles, bootstraps].join(';'),
  down: `DROP TABLE bootstraps, bootstrap_profiles;
     DELETE FROM device_credentials WHERE service <> 'lwm2m' OR bootstrapped;
     DELETE FROM trusted_certificates WHERE service <> 'lwm2m';
     ALTER TABLE device_credentials DROP COLUMN service, DROP COLUMN bootstrapped, DROP COLUMN provisional;
     ALTER TABLE trusted_certificates DROP COLUMN service`,
}) {}
