import { sqlMigration } from '@lanyard/service';

/** Pages of selections that were requested and are not answered yet. */
export class SelectionRequests1796533200000 extends sqlMigration({
  up: `
    CREATE TABLE selection_requests (
      selection_id text NOT NULL,
      page integer NOT NULL,
      account_id text NOT NULL,
      request json NOT NULL,
      -- Queries that took too long.
      attempts integer NOT NULL DEFAULT 0,
      tried_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (selection_id, page)
    )`,
  down: 'DROP TABLE selection_requests',
}) {}
