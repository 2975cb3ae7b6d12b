import { type DtlsConnection } from '../connection/connection.js';
import { type LastFlight } from '../handshake/last-flight.js';
import { type DtlsClock } from '../timing/clock.js';
import { type DtlsTimers } from '../timing/timers.js';

interface Entry {
  flight: LastFlight;
  expiresAtMs: number;
}

/**
 * The last flights of handshakes, sent again when a client shows that it did not receive one. A flight is kept only as long as
 * the client may ask for it: application data shows that the client has it.
 */
export class LastFlights {
  /** In the order of expiry. */
  private readonly entries = new Map<DtlsConnection, Entry>();
  private sweeping = false;

  constructor(
    private readonly clock: DtlsClock,
    private readonly timers: DtlsTimers,
    private readonly bounds: { lastFlightsMax: number; lastFlightMs: number },
  ) {}

  get size(): number {
    return this.entries.size;
  }

  add(connection: DtlsConnection, flight: LastFlight): void {
    this.entries.set(connection, { flight, expiresAtMs: this.clock.nowMs() + this.bounds.lastFlightMs });
    if (this.entries.size > this.bounds.lastFlightsMax) this.drop(this.entries.keys().next().value!);
    this.sweepLater();
  }

  /** @returns Whether the flight was sent again. */
  repeat(connection: DtlsConnection): boolean {
    const flight = this.entries.get(connection)?.flight;
    if (flight === undefined || !flight.shouldRepeat(this.clock.nowMs())) return false;
    connection.repeat(flight);
    return true;
  }

  drop(connection: DtlsConnection): void {
    if (this.entries.size > 0) this.entries.delete(connection);
  }

  private sweepLater(): void {
    if (this.sweeping || this.entries.size === 0) return;
    this.sweeping = true;
    this.timers.schedule(this.bounds.lastFlightMs, () => this.sweep());
  }

  private sweep(): void {
    this.sweeping = false;
    const now = this.clock.nowMs();
    for (const [connection, { expiresAtMs }] of this.entries) {
      if (expiresAtMs > now) break;
      this.entries.delete(connection);
    }
    this.sweepLater();
  }
}
