import { sqlMigration } from '@lanyard/service';

/** Distinguishes suspensions that were overtaken from new ones. */
export class LifecycleRevisions1796342400000 extends sqlMigration({
  up: 'ALTER TABLE device_sessions ADD COLUMN lifecycle_revision bigint NOT NULL DEFAULT -1',
  down: 'ALTER TABLE device_sessions DROP COLUMN lifecycle_revision',
}) {}
