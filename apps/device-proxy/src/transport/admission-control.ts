import { type Clock, CLOCK, CONFIG, Metrics } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';

/** Whether a request starts a session, or a bootstrap, or belongs to one. */
type Kind = 'registration' | 'other';

/** How long a device waits before it retries: random, so that a burst does not return as a burst. */
const retrySeconds = { min: 5, max: 30 } as const;

/**
 * Devices that are refused because too many come at once return one after the other, as many per second as a replica registers
 * without effort; the first ones return after a short pause.
 */
const returnsPerSecond = 200;
const returnSecondsMin = 2;

/**
 * Limits the requests of devices in progress, over all listeners of this replica. Beyond the limit a request is refused at once
 * with the cheapest possible answer (5.03 with Max-Age). New registrations and bootstraps, which cost most and arrive in bursts,
 * get half of the capacity, so that registered devices stay registered.
 */
@Injectable()
export class AdmissionControl {
  private inFlight = 0;
  private readonly refused: { inc(labels: { kind: Kind }): void };
  private readonly inFlightMax: number;
  /** When the device that was refused last is to return. */
  private lastReturnMs = 0;

  constructor(
    @Inject(CONFIG) { requestsInFlightMax }: Pick<DeviceProxyConfig, 'requestsInFlightMax'>,
    @Inject(CLOCK) private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.inFlightMax = requestsInFlightMax;
    const help = 'Requests of devices in progress';
    metrics.observe({ name: 'lanyard_device_proxy_requests_in_flight', help }, () => this.inFlight);
    this.refused = metrics.counter({
      name: 'lanyard_device_proxy_requests_refused_total',
      help: 'Requests of devices answered with 5.03 because too many were in progress',
      labelNames: ['kind'],
    });
  }

  /** False when the limit is reached. An admitted caller calls `release` when its request is answered. */
  admit(kind: Kind): boolean {
    if (this.inFlight >= (kind === 'registration' ? this.inFlightMax / 2 : this.inFlightMax)) {
      this.refused.inc({ kind });
      return false;
    }
    this.inFlight++;
    return true;
  }

  release(): void {
    this.inFlight--;
  }

  /** Max-Age of a 5.03 when too many devices came at once. Devices that would have to wait too long return at random times. */
  returnAfterSeconds(): number {
    const nowMs = this.clock.now();
    // The last return is further ahead than any wait only if the clock was set back.
    const lastMs = this.lastReturnMs - nowMs > retrySeconds.max * 1_000 ? 0 : this.lastReturnMs;
    const returnMs = Math.max(nowMs + returnSecondsMin * 1_000, lastMs + 1_000 / returnsPerSecond);
    const seconds = Math.ceil((returnMs - nowMs) / 1_000);
    if (seconds > retrySeconds.max) return this.retryAfterSeconds();
    this.lastReturnMs = returnMs;
    return seconds;
  }

  /** Max-Age of any other 5.03. */
  retryAfterSeconds(): number {
    return Math.floor(retrySeconds.min + this.random() * (retrySeconds.max - retrySeconds.min + 1));
  }

  protected random(): number {
    return Math.random();
  }
}
