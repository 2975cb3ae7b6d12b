import { sqlMigration } from '@lanyard/service';

/** Devices that were resumed while a page of the selection, which may say that they are suspended, is on its way. */
export class ResumedDevices1796374800000 extends sqlMigration({
  up: `ALTER TABLE update_campaigns ADD COLUMN resumed_devices text[] NOT NULL DEFAULT '{}'`,
  down: 'ALTER TABLE update_campaigns DROP COLUMN resumed_devices',
}) {}
