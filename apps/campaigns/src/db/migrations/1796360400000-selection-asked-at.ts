import { sqlMigration } from '@lanyard/service';

/** Since when the directory has not answered the next page of a selection. */
export class SelectionAskedAt1796360400000 extends sqlMigration({
  up: 'ALTER TABLE update_campaigns ADD COLUMN selection_asked_at timestamptz',
  down: 'ALTER TABLE update_campaigns DROP COLUMN selection_asked_at',
}) {}
