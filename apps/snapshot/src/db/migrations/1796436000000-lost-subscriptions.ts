import { sqlMigration } from '@lanyard/service';

export class LostSubscriptions1796436000000 extends sqlMigration({
  up: `
    -- lost_in: the account whose subscription the device ended; NULL: it is not lost, or an application ended it.
    ALTER TABLE subscriptions ADD COLUMN lost_in text;
    CREATE INDEX subscriptions_lost ON subscriptions (lost_in, device_id, key_id, path) WHERE lost_in IS NOT NULL`,
  down: 'ALTER TABLE subscriptions DROP COLUMN lost_in',
}) {}
