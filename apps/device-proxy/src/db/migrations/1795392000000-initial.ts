import { outboxTable } from '@lanyard/kafka';
import { sqlMigration } from '@lanyard/service';

export class Initial1795392000000 extends sqlMigration({
  up: `
    ${outboxTable};

    CREATE TABLE commands (
      id text PRIMARY KEY,
      position bigint GENERATED ALWAYS AS IDENTITY,
      device_id text NOT NULL,
      account_id text NOT NULL,
      key_id text NOT NULL,
      async_id text NOT NULL,
      request_id text,
      trace_parent text,
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
      attempted_at timestamptz,
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
      result_max_age bigint
    );
    CREATE INDEX commands_queue ON commands (device_id, position) WHERE state IN ('waiting', 'executing');
    CREATE INDEX commands_expiry ON commands (expires_at) WHERE state IN ('waiting', 'executing');
    CREATE INDEX commands_stored ON commands (stored_at) WHERE state = 'waiting';
    CREATE INDEX commands_finished ON commands (finished_at) WHERE finished_at IS NOT NULL;
    CREATE INDEX commands_history ON commands (key_id, id);
    CREATE INDEX commands_device ON commands (device_id, id);
    -- Not unique: an async-id may be used again.
    CREATE INDEX commands_async ON commands (key_id, async_id, position);

    CREATE TABLE idempotency_keys (
      key_id text NOT NULL,
      idempotency_key text NOT NULL,
      fingerprint text NOT NULL,
      command_id text NOT NULL,
      stored_at timestamptz NOT NULL,
      PRIMARY KEY (key_id, idempotency_key)
    );
    CREATE INDEX idempotency_keys_stored ON idempotency_keys (stored_at);

    CREATE TABLE subscriptions (
      key_id text NOT NULL,
      device_id text NOT NULL,
      path text NOT NULL,
      account_id text NOT NULL,
      origin text NOT NULL,
      status text NOT NULL,
      changed_at timestamptz NOT NULL,
      -- Of several paths that one command observes together: its id.
      together text,
      PRIMARY KEY (device_id, path, key_id)
    );
    CREATE INDEX subscriptions_key ON subscriptions (key_id);
    CREATE INDEX subscriptions_account ON subscriptions (account_id, key_id);

    -- Devices whose subscriptions changed, for replicas that were not told.
    CREATE TABLE interest_changes (
      device_id text PRIMARY KEY,
      changed_at timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX interest_changes_changed ON interest_changes (changed_at);

    CREATE TABLE presubscriptions (
      key_id text PRIMARY KEY,
      account_id text NOT NULL,
      rules jsonb NOT NULL,
      changed_at timestamptz NOT NULL
    );
    CREATE INDEX presubscriptions_account ON presubscriptions (account_id);

    CREATE TABLE first_contacts (
      account_id text NOT NULL,
      endpoint_name text NOT NULL,
      device_id text NOT NULL UNIQUE,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (account_id, endpoint_name)
    );

    CREATE TABLE object_models (
      id text PRIMARY KEY,
      account_id text NOT NULL,
      object_id integer NOT NULL,
      name text NOT NULL,
      version text NOT NULL,
      resources jsonb NOT NULL,
      created_at timestamptz NOT NULL,
      CONSTRAINT object_models_version UNIQUE (account_id, object_id, version)
    );

    CREATE TABLE firmware_reports (
      device_id text NOT NULL,
      source text NOT NULL,
      state integer,
      result integer,
      PRIMARY KEY (device_id, source)
    )`,
  down: `DROP TABLE outbox_messages, commands, idempotency_keys, subscriptions, interest_changes, presubscriptions,
       first_contacts, object_models, firmware_reports`,
}) {}
