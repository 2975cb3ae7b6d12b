import { type TimerWheel } from '@lanyard/coap';
import { type Clock } from '@lanyard/service';
import { type Executions } from '../counts/executions.js';
import { type NumberedValues } from '../counts/numbered-values.js';
import { type Tally } from '../counts/tally.js';
import { type FirmwareView } from '../firmware/states.js';
import { type Catalogue } from '../objects/catalogue.js';
import { type Watches } from '../observation/watches.js';
import { type GroupSettings } from '../settings/group.js';
import { type Credential } from '../transport/credentials.js';
import { type Server, type TransportOf } from '../transport/device-transport.js';

/** State that all devices share. */
export interface SimulationContext {
  clock: Clock;
  timers: TimerWheel;
  random: () => number;
  executions: Executions;
  resolve(host: string): Promise<string>;
  /** Set when a group has values that count up. */
  numbered: NumberedValues | undefined;
}

/** State that the devices of a group share, so that each device costs little. */
export interface Group {
  context: SimulationContext;
  settings: GroupSettings;
  servers: readonly Server[];
  /** By number of the device; empty without security. */
  credentials: readonly Credential[];
  tally: Tally;
  watches: Watches;
  catalogue: Catalogue;
  /** Catalogue of the devices behind the group's gateways. */
  catalogueBehind: Catalogue;
  /** Firmware of devices that were never updated. */
  firmware: FirmwareView;
  transportOf: TransportOf;
}
