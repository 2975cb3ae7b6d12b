/** What happened since the start. */
const events = [
  'registered',
  'updated',
  'deregistered',
  'refused',
  'silence',
  'restarted',
  'value-sent',
  'value-held-back',
  'value-lost',
  'observation-reset',
  'command-answered',
  'executed',
] as const;

export type FleetEvent = (typeof events)[number];

/** Counts of the whole fleet: plain numbers, because they change with every message. */
export class Tally {
  readonly counts = Object.fromEntries(events.map((event) => [event, 0])) as Record<FleetEvent, number>;
  /** Devices that have a registration, as far as they know. */
  registered = 0;
  /** The last error that devices had with the server. */
  trouble = '';

  count(event: FleetEvent): void {
    this.counts[event] += 1;
  }
}
