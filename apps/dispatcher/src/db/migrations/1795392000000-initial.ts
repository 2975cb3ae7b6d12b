import { outboxTable } from '@lanyard/kafka';
import { sqlMigration } from '@lanyard/service';

export class Initial1795392000000 extends sqlMigration({
  up: `
    ${outboxTable};

    -- registered_with: the secret that a callback was registered with; key_seen, stopped: what happened to its key since.
    CREATE TABLE channels (
      key_id text PRIMARY KEY,
      account_id text NOT NULL,
      kind text NOT NULL CHECK (kind IN ('callback', 'websocket', 'pull')),
      target text,
      serialization jsonb NOT NULL,
      tier text NOT NULL,
      revision bigint NOT NULL,
      created_at timestamptz(3) NOT NULL,
      registered_with text,
      key_seen jsonb,
      stopped text CHECK (stopped IN ('key_reset', 'key_revoked')),
      stopped_at timestamptz(3),
      CHECK ((kind = 'callback') = (target IS NOT NULL)),
      CHECK ((stopped IS NULL) = (stopped_at IS NULL))
    );
    CREATE SEQUENCE channel_revisions;

    -- What was announced of the events that channels lost. Outlives a channel until its last losses are announced.
    CREATE TABLE drop_reports (
      key_id text NOT NULL,
      created_at timestamptz(3) NOT NULL,
      size bigint NOT NULL DEFAULT 0,
      age bigint NOT NULL DEFAULT 0,
      failed bigint NOT NULL DEFAULT 0,
      ending text,
      is_final boolean NOT NULL DEFAULT false,
      changed_at timestamptz(3) NOT NULL,
      PRIMARY KEY (key_id, created_at)
    )`,
  down: 'DROP TABLE outbox_messages, channels, drop_reports; DROP SEQUENCE channel_revisions',
}) {}
