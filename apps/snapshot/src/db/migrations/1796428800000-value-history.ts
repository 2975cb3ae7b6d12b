import { sqlMigration } from '@lanyard/service';

export class ValueHistory1796428800000 extends sqlMigration({
  up: `
    -- CACHE: an upsert takes a number even if the row exists.
    ALTER TABLE resources ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY (CACHE 1000);

    ALTER TABLE devices ADD COLUMN history_removed boolean NOT NULL DEFAULT false;
    CREATE INDEX devices_deleted ON devices (deleted_at) WHERE deleted_at IS NOT NULL AND NOT history_removed;

    -- keep_hours: for how long the partitions of a branch are kept. tie tells values of one moment apart and makes
    -- a repeated one conflict. content_format: number of the CoAP registry; NULL: none.
    CREATE TABLE value_history (
      resource_id bigint NOT NULL,
      at timestamptz NOT NULL,
      tie integer NOT NULL,
      keep_hours smallint NOT NULL,
      content_format smallint,
      value bytea NOT NULL
    ) PARTITION BY LIST (keep_hours);
    CREATE TABLE value_history_24h PARTITION OF value_history FOR VALUES IN (24) PARTITION BY RANGE (at);
    CREATE TABLE value_history_168h PARTITION OF value_history FOR VALUES IN (168) PARTITION BY RANGE (at);
    CREATE TABLE value_history_744h PARTITION OF value_history FOR VALUES IN (744) PARTITION BY RANGE (at);
    ALTER TABLE value_history_24h ADD PRIMARY KEY (resource_id, at, tie);
    ALTER TABLE value_history_168h ADD PRIMARY KEY (resource_id, at, tie);
    ALTER TABLE value_history_744h ADD PRIMARY KEY (resource_id, at, tie)`,
  down: `
    DROP TABLE value_history;
    ALTER TABLE devices DROP COLUMN history_removed;
    ALTER TABLE resources DROP COLUMN id`,
}) {}
