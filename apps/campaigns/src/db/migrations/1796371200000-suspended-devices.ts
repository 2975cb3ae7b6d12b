import { sqlMigration } from '@lanyard/service';

/** Devices that were suspended while a page of the selection, which may say otherwise, is on its way. */
export class SuspendedDevices1796371200000 extends sqlMigration({
  up: `ALTER TABLE update_campaigns ADD COLUMN suspended_devices text[] NOT NULL DEFAULT '{}'`,
  down: 'ALTER TABLE update_campaigns DROP COLUMN suspended_devices',
}) {}
