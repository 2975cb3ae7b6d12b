import { outboxTable } from '@lanyard/kafka';
import { sqlMigration } from '@lanyard/service';

const images = `
  CREATE TABLE firmware_images (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    version text NOT NULL,
    object integer NOT NULL,
    -- Until all bytes have arrived: what the upload may take at most.
    size integer NOT NULL,
    checksum text,
    stored boolean NOT NULL DEFAULT false,
    touched_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX firmware_images_name ON firmware_images (account_id, name);
  CREATE INDEX firmware_images_by_account ON firmware_images (account_id, id);
  CREATE INDEX firmware_images_uploading ON firmware_images (touched_at) WHERE NOT stored`;

const campaigns = `
  CREATE TABLE update_campaigns (
    id text PRIMARY KEY,
    account_id text NOT NULL,
    name text NOT NULL,
    description text NOT NULL,
    -- The image as it was when the campaign was made: it may be deleted when the campaign has ended.
    image_id text NOT NULL,
    object integer NOT NULL,
    version text NOT NULL,
    checksum text NOT NULL,
    size integer NOT NULL,
    group_id text,
    filter text,
    state text NOT NULL DEFAULT 'draft',
    -- Why it was stopped or is paused, where an operator did not do it.
    reason text,
    starts_at timestamptz,
    ends_at timestamptz,
    window_from text,
    window_to text,
    concurrency integer NOT NULL,
    retries integer NOT NULL,
    failure_percent_max integer,
    failure_count_min integer NOT NULL,
    delivery text NOT NULL,
    download_timeout_seconds integer NOT NULL,
    install_timeout_seconds integer NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    -- The selection of devices that is under way or was made last, for the campaign itself or for a dry run.
    selection_id text,
    selection_page integer NOT NULL DEFAULT 0,
    selection_complete boolean NOT NULL DEFAULT false,
    dry_run jsonb,
    tick_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    updated_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  CREATE UNIQUE INDEX update_campaigns_name ON update_campaigns (account_id, name);
  CREATE INDEX update_campaigns_by_account ON update_campaigns (account_id, id);
  CREATE INDEX update_campaigns_by_image ON update_campaigns (image_id);
  CREATE UNIQUE INDEX update_campaigns_selection ON update_campaigns (selection_id);
  CREATE INDEX update_campaigns_due ON update_campaigns (tick_at) WHERE state IN ('scheduled', 'running', 'stopping')`;

const devices = `
  CREATE TABLE campaign_devices (
    campaign_id text NOT NULL REFERENCES update_campaigns (id) ON DELETE CASCADE,
    device_id text NOT NULL,
    account_id text NOT NULL,
    endpoint_name text,
    state text NOT NULL DEFAULT 'waiting',
    step text,
    attempt integer NOT NULL DEFAULT 0,
    -- When the step must have ended, and when the device is looked at again.
    deadline_at timestamptz,
    due_at timestamptz,
    polls integer NOT NULL DEFAULT 0,
    command_id text,
    delivery text,
    package_source text,
    ticket_hash text,
    previous_version text,
    code text,
    reason text,
    added_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (campaign_id, device_id)
  );
  -- Never two updates of a device at once.
  CREATE UNIQUE INDEX campaign_devices_updating ON campaign_devices (device_id) WHERE state = 'updating';
  CREATE INDEX campaign_devices_open ON campaign_devices (device_id) WHERE state IN ('waiting', 'updating');
  CREATE INDEX campaign_devices_by_state ON campaign_devices (campaign_id, state, device_id);
  CREATE INDEX campaign_devices_due ON campaign_devices (due_at) WHERE state = 'updating';
  CREATE UNIQUE INDEX campaign_devices_command ON campaign_devices (command_id) WHERE command_id IS NOT NULL;
  CREATE UNIQUE INDEX campaign_devices_ticket ON campaign_devices (ticket_hash) WHERE ticket_hash IS NOT NULL`;

const sessions = `
  CREATE TABLE device_sessions (
    device_id text PRIMARY KEY,
    account_id text NOT NULL,
    epoch bigint NOT NULL,
    registered boolean NOT NULL,
    queue_mode boolean NOT NULL DEFAULT false,
    transport text,
    -- A device in queue mode listens until then.
    awake_until timestamptz,
    -- As last read by a campaign.
    firmware_version text
  )`;

export class Initial1796169600000 extends sqlMigration({
  up: [images, campaigns, devices, sessions, outboxTable].join(';'),
  down: 'DROP TABLE outbox_messages, device_sessions, campaign_devices, update_campaigns, firmware_images',
}) {}
