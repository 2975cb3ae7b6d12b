import { outboxTable } from '@lanyard/kafka';
import { sqlMigration } from '@lanyard/service';

const devices = `
  CREATE TABLE devices (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    name text,
    description text NOT NULL DEFAULT '',
    endpoint_name text,
    endpoint_type text,
    device_class text,
    device_key text,
    ca_id text,
    serial_number text,
    vendor_id text,
    host_gateway text,
    net_id text,
    state text NOT NULL DEFAULT 'unenrolled',
    lifecycle_status text NOT NULL DEFAULT 'enabled',
    operator_suspended boolean NOT NULL DEFAULT false,
    system_suspended boolean NOT NULL DEFAULT false,
    last_operator_suspended_category text,
    last_operator_suspended_description text,
    last_operator_suspended_updated_at timestamptz,
    last_system_suspended_category text,
    last_system_suspended_description text,
    last_system_suspended_updated_at timestamptz,
    mechanism text NOT NULL DEFAULT 'connector',
    mechanism_url text NOT NULL DEFAULT '',
    device_execution_mode integer NOT NULL DEFAULT 1,
    deployed_state text,
    deployment text,
    auto_update boolean,
    bootstrapped_timestamp timestamptz,
    enrolment_list_timestamp timestamptz,
    manifest_timestamp timestamptz,
    bootstrap_expiration_date date,
    connector_expiration_date date,
    manifest text,
    firmware_checksum text,
    issuer_fingerprint text,
    custom_attributes jsonb NOT NULL DEFAULT '{}',
    component_attributes jsonb NOT NULL DEFAULT '{}',
    session_epoch bigint NOT NULL DEFAULT -1,
    revision integer NOT NULL DEFAULT 1
  );
  CREATE INDEX devices_by_account ON devices (account_id, id);
  CREATE UNIQUE INDEX devices_endpoint_name ON devices (account_id, endpoint_name);
  CREATE INDEX devices_by_name ON devices (account_id, name, id);
  CREATE INDEX devices_by_state ON devices (account_id, state, id);
  CREATE INDEX devices_by_attribute ON devices USING gin (custom_attributes)`;

const groups = `
  CREATE TABLE device_groups (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    custom_attributes jsonb NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX device_groups_name ON device_groups (account_id, name);

  CREATE TABLE group_members (
    group_id text NOT NULL REFERENCES device_groups (id) ON DELETE CASCADE,
    device_id text NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    PRIMARY KEY (group_id, device_id)
  );
  CREATE INDEX group_members_by_device ON group_members (device_id);

  -- Devices whose groups changed and are not announced yet. A trigger notes them, so that a membership that ends with
  -- its group or its device counts as well. Of the two one is gone at most: a statement deletes one of them.
  CREATE TABLE group_changes (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    device_id text NOT NULL,
    account_id text NOT NULL
  );
  CREATE FUNCTION note_group_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    INSERT INTO registry.group_changes (device_id, account_id)
    SELECT DISTINCT c.device_id, COALESCE(d.account_id, g.account_id) FROM changed c
    LEFT JOIN registry.devices d ON d.id = c.device_id
    LEFT JOIN registry.device_groups g ON g.id = c.group_id;
    RETURN NULL;
  END $$;
  CREATE TRIGGER group_members_added AFTER INSERT ON group_members
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_group_changes();
  CREATE TRIGGER group_members_removed AFTER DELETE ON group_members
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION note_group_changes()`;

const credentials = `
  CREATE TABLE device_credentials (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    device_id text NOT NULL REFERENCES devices (id) ON DELETE CASCADE,
    kind text NOT NULL,
    identity text,
    sealed_key text,
    fingerprint text,
    certificate text,
    subject text,
    expires_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX device_credentials_by_device ON device_credentials (device_id);
  -- Over all accounts: a device that connects is known by nothing else.
  CREATE UNIQUE INDEX device_credentials_identity ON device_credentials (identity);
  CREATE UNIQUE INDEX device_credentials_fingerprint ON device_credentials (fingerprint);

  CREATE TABLE trusted_certificates (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    certificate text NOT NULL,
    fingerprint text NOT NULL,
    subject text NOT NULL,
    issuer text NOT NULL DEFAULT '',
    status text NOT NULL DEFAULT 'ACTIVE',
    verified boolean NOT NULL DEFAULT true,
    expires_at timestamptz NOT NULL,
    enrolment boolean NOT NULL,
    revoked_serials text[] NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX trusted_certificates_by_account ON trusted_certificates (account_id);
  CREATE UNIQUE INDEX trusted_certificates_of_account ON trusted_certificates (account_id, fingerprint);
  -- Over all accounts: one that an account has not signed for excludes no other account.
  CREATE UNIQUE INDEX trusted_certificates_verified ON trusted_certificates (fingerprint) WHERE verified`;

const bulk = `
  CREATE TABLE device_queries (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL DEFAULT '',
    query text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX device_queries_name ON device_queries (account_id, name);

  CREATE TABLE device_imports (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    key_id text NOT NULL,
    request_id text,
    name text NOT NULL,
    status text NOT NULL,
    total_count integer NOT NULL DEFAULT 0,
    processed_count integer NOT NULL DEFAULT 0,
    errors_count integer NOT NULL DEFAULT 0,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    completed_at timestamptz
  );
  CREATE INDEX device_imports_by_account ON device_imports (account_id, id);
  CREATE INDEX device_imports_open ON device_imports (touched_at) WHERE status <> 'completed';
  CREATE INDEX device_imports_completed ON device_imports (completed_at) WHERE status = 'completed';

  CREATE TABLE device_import_rows (
    import_id text NOT NULL REFERENCES device_imports (id) ON DELETE CASCADE,
    row_number integer NOT NULL,
    fields jsonb NOT NULL,
    PRIMARY KEY (import_id, row_number)
  );
  CREATE TABLE device_import_errors (
    import_id text NOT NULL REFERENCES device_imports (id) ON DELETE CASCADE,
    row_number integer NOT NULL,
    endpoint_name text NOT NULL,
    field text NOT NULL,
    message text NOT NULL
  );
  CREATE INDEX device_import_errors_by_row ON device_import_errors (import_id, row_number);

  -- When an import of an account was worked on last, whether or not that import is still there.
  CREATE TABLE import_turns (
    account_id text PRIMARY KEY,
    taken_at timestamptz NOT NULL
  )`;

const accounts = `
  -- Accounts that are or were suspended, and whether their devices follow already.
  CREATE TABLE account_standings (
    account_id text PRIMARY KEY,
    suspended boolean NOT NULL,
    changed_at timestamptz NOT NULL,
    settled boolean NOT NULL,
    touched_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE INDEX account_standings_open ON account_standings (touched_at) WHERE NOT settled`;

export class Initial1795392000000 extends sqlMigration({
  up: [outboxTable, devices, groups, credentials, bulk, accounts].join(';'),
  down: `DROP TABLE outbox_messages, account_standings, import_turns, device_import_errors, device_import_rows,
       device_imports, device_queries, trusted_certificates, device_credentials, group_changes, group_members,
       device_groups, devices;
     DROP FUNCTION note_group_changes`,
}) {}
