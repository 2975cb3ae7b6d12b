import { sqlMigration } from '@lanyard/service';

/** Failures of a selection other than slow queries, and when it is tried again. */
export class SelectionFailures1796536800000 extends sqlMigration({
  up: `ALTER TABLE selection_requests ADD COLUMN failures integer NOT NULL DEFAULT 0,
       ADD COLUMN due_at timestamptz NOT NULL DEFAULT clock_timestamp()`,
  down: 'ALTER TABLE selection_requests DROP COLUMN failures, DROP COLUMN due_at',
}) {}
