import { type TimerWheel } from '@lanyard/coap';
import { type SimulatorConfig } from '../config.js';
import { type Catalogue } from './catalogue.js';
import { type Server, type TransportOf } from '../transport/device-transport.js';
import { type Executions } from '../counts/executions.js';
import { type NumberedValues } from '../counts/numbered-values.js';
import { type Tally } from '../counts/tally.js';
import { type Watches } from './watches.js';

/** What all devices share, so that one of them costs little. */
export interface World {
  config: SimulatorConfig;
  servers: readonly Server[];
  timers: TimerWheel;
  random: () => number;
  tally: Tally;
  watches: Watches;
  executions: Executions;
  /** Set when values count up. */
  numbered: NumberedValues | undefined;
  catalogue: Catalogue;
  transportOf: TransportOf;
}
