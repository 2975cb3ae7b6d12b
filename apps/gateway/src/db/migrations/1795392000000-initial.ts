import { outboxTable } from '@lanyard/kafka';
import { sqlMigration } from '@lanyard/service';

export class Initial1795392000000 extends sqlMigration({
  up: `
    ${outboxTable};

    CREATE TABLE accounts (
      id text PRIMARY KEY,
      parent_id text REFERENCES accounts (id),
      display_name text NOT NULL,
      email text,
      company text,
      profile jsonb NOT NULL DEFAULT '{}',
      tier text NOT NULL CHECK (tier IN ('free', 'commercial')),
      status text NOT NULL CHECK (status IN ('active', 'suspended')),
      auto_create_devices boolean NOT NULL,
      -- Whether clients expect 204 of PUT /v2/subscriptions.
      presubscriptions_no_content boolean NOT NULL DEFAULT false,
      limits jsonb NOT NULL DEFAULT '{}',
      revision integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    );

    CREATE TABLE key_groups (
      id text PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      name text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('administrators', 'developers', 'custom')),
      permissions text[],
      revision integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CONSTRAINT key_groups_name UNIQUE (account_id, name)
    );
    CREATE UNIQUE INDEX ON key_groups (account_id, kind) WHERE kind <> 'custom';

    CREATE TABLE api_keys (
      id text PRIMARY KEY,
      account_id text NOT NULL REFERENCES accounts (id),
      name text NOT NULL,
      owner text,
      hash text NOT NULL,
      previous_hash text,
      previous_until timestamptz,
      status text NOT NULL CHECK (status IN ('active', 'inactive')),
      expires_at timestamptz,
      expiry_announced boolean NOT NULL DEFAULT false,
      revision integer NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      last_login_at timestamptz
    );
    CREATE INDEX ON api_keys (account_id, id);
    CREATE INDEX api_keys_expiring ON api_keys (expires_at) WHERE NOT expiry_announced;
    CREATE INDEX api_keys_rotating ON api_keys (previous_until) WHERE previous_until IS NOT NULL;

    CREATE TABLE api_key_groups (
      key_id text NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
      group_id text NOT NULL REFERENCES key_groups (id) ON DELETE CASCADE,
      PRIMARY KEY (key_id, group_id)
    );
    CREATE INDEX ON api_key_groups (group_id);

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
    );
    CREATE INDEX ON applications (account_id, id);

    CREATE TABLE application_groups (
      application_id text NOT NULL REFERENCES applications (id) ON DELETE CASCADE,
      group_id text NOT NULL REFERENCES key_groups (id) ON DELETE CASCADE,
      PRIMARY KEY (application_id, group_id)
    );
    CREATE INDEX ON application_groups (group_id);

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
    );
    CREATE INDEX ON access_keys (account_id, id);
    CREATE INDEX ON access_keys (application_id, id);
    CREATE INDEX access_keys_expiring ON access_keys (expires_at) WHERE NOT expiry_announced`,
  down: `DROP TABLE outbox_messages, access_keys, application_groups, applications, api_key_groups, api_keys, key_groups,
       accounts`,
}) {}
