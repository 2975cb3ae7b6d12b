import { sqlMigration } from '@lanyard/service';

/** Subscriptions whose observation has attributes of its own. */
export class ObserveAttributes1796522400000 extends sqlMigration({
  up: 'ALTER TABLE subscriptions ADD COLUMN attributes text',
  down: 'ALTER TABLE subscriptions DROP COLUMN attributes',
}) {}
