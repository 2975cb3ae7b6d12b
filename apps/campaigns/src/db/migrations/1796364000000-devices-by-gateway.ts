import { sqlMigration } from '@lanyard/service';

/** The devices behind a gateway are found when it wakes up. */
export class DevicesByGateway1796364000000 extends sqlMigration({
  up: `CREATE INDEX IF NOT EXISTS device_sessions_by_gateway ON device_sessions (host_gateway)
       WHERE host_gateway IS NOT NULL`,
  down: 'DROP INDEX device_sessions_by_gateway',
}) {}
