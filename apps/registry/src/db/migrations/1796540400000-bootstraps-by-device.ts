import { sqlMigration } from '@lanyard/service';

/** The bootstraps of a device are deleted with it, also those that have ended. */
export class BootstrapsByDevice1796540400000 extends sqlMigration({
  up: 'CREATE INDEX IF NOT EXISTS bootstraps_by_device ON bootstraps (device_id)',
  down: 'DROP INDEX bootstraps_by_device',
}) {}
