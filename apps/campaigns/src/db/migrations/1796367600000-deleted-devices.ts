import { sqlMigration } from '@lanyard/service';

/** Devices that were deleted while a page of the selection, which may hold them, is on its way. */
export class DeletedDevices1796367600000 extends sqlMigration({
  up: `ALTER TABLE update_campaigns ADD COLUMN deleted_devices text[] NOT NULL DEFAULT '{}'`,
  down: 'ALTER TABLE update_campaigns DROP COLUMN deleted_devices',
}) {}
