import { sqlMigration } from '@lanyard/service';

export class Statistics1796432400000 extends sqlMigration({
  up: `
    -- How far each partition of a topic is counted: what is read again is not counted again.
    CREATE TABLE counted_positions (
      topic text NOT NULL,
      partition integer NOT NULL,
      next_offset bigint NOT NULL,
      newest_ms bigint NOT NULL,
      PRIMARY KEY (topic, partition)
    );

    CREATE TABLE statistics (
      account_id text NOT NULL,
      step_seconds smallint NOT NULL,
      from_at timestamptz NOT NULL,
      registrations integer NOT NULL,
      registration_updates integer NOT NULL,
      deregistrations integer NOT NULL,
      registrations_expired integer NOT NULL,
      values integer NOT NULL,
      commands_succeeded integer NOT NULL,
      commands_failed integer NOT NULL,
      commands_expired integer NOT NULL,
      events_dropped integer NOT NULL,
      PRIMARY KEY (account_id, step_seconds, from_at)
    ) PARTITION BY LIST (step_seconds);
    CREATE TABLE statistics_10s PARTITION OF statistics FOR VALUES IN (10) PARTITION BY RANGE (from_at);
    CREATE TABLE statistics_300s PARTITION OF statistics FOR VALUES IN (300) PARTITION BY RANGE (from_at)`,
  down: 'DROP TABLE statistics, counted_positions',
}) {}
