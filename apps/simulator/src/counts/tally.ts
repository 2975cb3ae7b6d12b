import { Latencies } from './latencies.js';

const events = [
  'registered',
  'updated',
  'deregistered',
  /** The server refused a registration, an update or a bootstrap. */
  'refused',
  /** A contact failed for another reason, usually because no answer came, or a notification was not acknowledged. */
  'silence',
  'restarted',
  /** The address of a device changed. */
  'rebound',
  'device-behind-joined',
  'device-behind-left',
  'handshake',
  'handshake-resumed',
  'value-sent',
  /** There was no connection, and devices without queue mode do not keep values. */
  'value-held-back',
  /** Kept until the device is awake. */
  'value-kept',
  /** A kept value that is never sent: there were too many, or the observation ended. */
  'value-dropped',
  /** Sent, but not acknowledged. */
  'value-lost',
  'send-accepted',
  'send-refused',
  /** The server ended an observation, by a request or by resetting a notification. */
  'observation-reset',
  'bootstrapped',
  'bootstrap-failed',
  'firmware-downloaded',
  'firmware-updated',
  'firmware-failed',
  'software-installed',
  'software-failed',
  'command-answered',
  'executed',
] as const;

export type FleetEvent = (typeof events)[number];

/** Exchanges whose time until the answer or acknowledgement of the server is measured. */
export const timed = ['registration', 'update', 'value', 'send'] as const;
export type Timed = (typeof timed)[number];

/** Counts of a group, or of the whole fleet: plain numbers, because they change with every message. */
export class Tally {
  readonly counts = Object.fromEntries(events.map((event) => [event, 0])) as Record<FleetEvent, number>;
  readonly latencies = Object.fromEntries(timed.map((what) => [what, new Latencies()])) as Record<Timed, Latencies>;
  /** Devices that have a registration, as far as they know. */
  registered = 0;
  /** Devices of a group whose last Send was refused or not answered. */
  refusing = 0;
  /** The last error that devices had with the server. */
  trouble = '';

  /** Everything that is counted here is counted in `whole`, too. */
  constructor(private readonly whole?: Tally) {}

  count(event: FleetEvent): void {
    this.counts[event] += 1;
    this.whole?.count(event);
  }

  recordLatency(what: Timed, ms: number): void {
    this.latencies[what].record(ms);
    this.whole?.recordLatency(what, ms);
  }

  /** Counts one more device that has a registration, or one fewer. */
  changeRegistered(by: 1 | -1): void {
    this.registered += by;
    this.whole?.changeRegistered(by);
  }

  recordTrouble(trouble: string): void {
    this.trouble = trouble;
    this.whole?.recordTrouble(trouble);
  }
}
