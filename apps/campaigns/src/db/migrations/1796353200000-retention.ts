import { sqlMigration } from '@lanyard/service';

/** Campaigns that ended long ago are found by an index, and are gone for readers before the last of their devices is. */
export class Retention1796353200000 extends sqlMigration({
  up: `
    ALTER TABLE update_campaigns ADD COLUMN removed boolean NOT NULL DEFAULT false;
    CREATE INDEX update_campaigns_ended ON update_campaigns (finished_at) WHERE finished_at IS NOT NULL`,
  down: `
    DELETE FROM update_campaigns WHERE removed;
    DROP INDEX update_campaigns_ended;
    ALTER TABLE update_campaigns DROP COLUMN removed`,
}) {}
