import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { DeletedDevices1796367600000 } from './migrations/1796367600000-deleted-devices.js';
import { DevicesByGateway1796364000000 } from './migrations/1796364000000-devices-by-gateway.js';
import { HostGateways1796356800000 } from './migrations/1796356800000-host-gateways.js';
import { Initial1796169600000 } from './migrations/1796169600000-initial.js';
import { PausedDue1796349600000 } from './migrations/1796349600000-paused-due.js';
import { ResumedDevices1796374800000 } from './migrations/1796374800000-resumed-devices.js';
import { Retention1796353200000 } from './migrations/1796353200000-retention.js';
import { SelectionAskedAt1796360400000 } from './migrations/1796360400000-selection-asked-at.js';
import { Software1796346000000 } from './migrations/1796346000000-software.js';
import { SuspendedDevices1796371200000 } from './migrations/1796371200000-suspended-devices.js';
import { LifecycleRevisions1796342400000 } from './migrations/1796342400000-lifecycle-revisions.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'campaigns';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [],
    migrations: [
      Initial1796169600000,
      LifecycleRevisions1796342400000,
      Software1796346000000,
      PausedDue1796349600000,
      Retention1796353200000,
      HostGateways1796356800000,
      SelectionAskedAt1796360400000,
      DevicesByGateway1796364000000,
      DeletedDevices1796367600000,
      SuspendedDevices1796371200000,
      ResumedDevices1796374800000,
    ],
  });
