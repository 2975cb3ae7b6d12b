import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Registry1732147200000 implements MigrationInterface {
  readonly name = 'Registry1732147200000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE registry.devices (
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
      )`);
    await runner.query('CREATE INDEX devices_by_account ON registry.devices (account_id, id)');
    await runner.query('CREATE UNIQUE INDEX devices_endpoint_name ON registry.devices (account_id, endpoint_name)');
    await runner.query('CREATE INDEX devices_by_state ON registry.devices (account_id, state, id)');
    await runner.query('CREATE INDEX devices_by_attribute ON registry.devices USING gin (custom_attributes)');
    await runner.query(`
      CREATE TABLE registry.device_groups (
        id text PRIMARY KEY,
        account_id text NOT NULL,
        name text NOT NULL,
        description text NOT NULL DEFAULT '',
        custom_attributes jsonb NOT NULL DEFAULT '{}',
        created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
      )`);
    await runner.query('CREATE UNIQUE INDEX device_groups_name ON registry.device_groups (account_id, name)');
    await runner.query(`
      CREATE TABLE registry.group_members (
        group_id text NOT NULL REFERENCES registry.device_groups (id) ON DELETE CASCADE,
        device_id text NOT NULL REFERENCES registry.devices (id) ON DELETE CASCADE,
        PRIMARY KEY (group_id, device_id)
      )`);
    await runner.query('CREATE INDEX group_members_by_device ON registry.group_members (device_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE registry.group_members, registry.device_groups, registry.devices');
  }
}
