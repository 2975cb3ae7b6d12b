import { type DatabaseConfig, type DatabaseOptions, databaseOptions } from '@lanyard/service';
import { Bootstrap1796083200000 } from './migrations/1796083200000-bootstrap.js';
import { BootstrapPublicKeys1796522400000 } from './migrations/1796522400000-bootstrap-public-keys.js';
import { BootstrapsByDevice1796540400000 } from './migrations/1796540400000-bootstraps-by-device.js';
import { DeletedDevices1796544000000 } from './migrations/1796544000000-deleted-devices.js';
import { EndpointNames1796529600000 } from './migrations/1796529600000-endpoint-names.js';
import { ExpiringCertificates1796436000000 } from './migrations/1796436000000-expiring-certificates.js';
import { HandshakeTimer1796524200000 } from './migrations/1796524200000-handshake-timer.js';
import { Initial1795392000000 } from './migrations/1795392000000-initial.js';
import { Radio1796169600000 } from './migrations/1796169600000-radio.js';
import { SelectionFailures1796536800000 } from './migrations/1796536800000-selection-failures.js';
import { SelectionRequests1796533200000 } from './migrations/1796533200000-selection-requests.js';
import { ServerSettings1796526000000 } from './migrations/1796526000000-server-settings.js';

/** PostgreSQL schema of this service; no other service reads it. */
export const schema = 'registry';

export const databaseOf = (config: DatabaseConfig): DatabaseOptions =>
  databaseOptions(config, {
    schema,
    entities: [],
    migrations: [
      Initial1795392000000,
      Bootstrap1796083200000,
      Radio1796169600000,
      ExpiringCertificates1796436000000,
      BootstrapPublicKeys1796522400000,
      HandshakeTimer1796524200000,
      ServerSettings1796526000000,
      EndpointNames1796529600000,
      SelectionRequests1796533200000,
      SelectionFailures1796536800000,
      BootstrapsByDevice1796540400000,
      DeletedDevices1796544000000,
    ],
  });
