import { sqlMigration } from '@lanyard/service';

/** Packages of object 9: what an instance of it names, and the instance that is used in a device. */
export class Software1796346000000 extends sqlMigration({
  up: `
    ALTER TABLE firmware_images ADD COLUMN package_name text;
    ALTER TABLE update_campaigns ADD COLUMN package_name text;
    ALTER TABLE campaign_devices ADD COLUMN instance integer`,
  down: `
    ALTER TABLE campaign_devices DROP COLUMN instance;
    ALTER TABLE update_campaigns DROP COLUMN package_name;
    ALTER TABLE firmware_images DROP COLUMN package_name`,
}) {}
