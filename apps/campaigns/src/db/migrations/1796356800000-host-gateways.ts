import { sqlMigration } from '@lanyard/service';

/** The gateway that a device is behind: the device is awake when its gateway is. */
export class HostGateways1796356800000 extends sqlMigration({
  up: 'ALTER TABLE device_sessions ADD COLUMN host_gateway text',
  down: 'ALTER TABLE device_sessions DROP COLUMN host_gateway',
}) {}
