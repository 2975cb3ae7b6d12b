import { sqlMigration } from '@lanyard/service';

export class Initial1795392000000 extends sqlMigration({
  up: `
    -- The order in which entries were stored, for callers that follow the log.
    CREATE SEQUENCE positions;

    -- Partitioned by week (partitions.ts). The default partition stores what lies outside the weeks that exist.
    CREATE TABLE device_events (
      id text NOT NULL,
      date_time timestamptz NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now(),
      account_id text NOT NULL,
      device_id text NOT NULL,
      event_code text NOT NULL,
      event_type text NOT NULL,
      event_type_category text NOT NULL,
      event_type_description text NOT NULL,
      description text NOT NULL,
      state_change boolean NOT NULL,
      changes jsonb NOT NULL,
      data jsonb NOT NULL,
      position bigint NOT NULL DEFAULT nextval('event_log.positions'),
      PRIMARY KEY (id, date_time)
    ) PARTITION BY RANGE (date_time);
    CREATE TABLE device_events_other PARTITION OF device_events DEFAULT;
    CREATE INDEX device_events_by_account ON device_events (account_id, date_time, id);
    CREATE INDEX device_events_by_device ON device_events (account_id, device_id, date_time, id);
    CREATE INDEX device_events_by_position ON device_events (account_id, position);
    CREATE INDEX device_events_by_type ON device_events (account_id, event_type, date_time, id);

    -- In which groups devices are, as the registry announces it.
    CREATE TABLE memberships (
      device_id text PRIMARY KEY,
      account_id text NOT NULL,
      groups text[] NOT NULL,
      revision bigint NOT NULL
    );
    CREATE INDEX memberships_by_group ON memberships USING gin (groups)`,
  down: 'DROP TABLE memberships, device_events; DROP SEQUENCE positions',
}) {}
