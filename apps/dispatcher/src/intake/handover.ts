import { Injectable } from '@nestjs/common';
import { CallbackDelivery } from '../delivery/callback-delivery.js';
import { ReadyLoop } from '../delivery/ready-loop.js';
import { Telemetry } from '../delivery/telemetry.js';
import type { AppendOutcome } from '../queue/append-outcome.js';
import { Bus } from '../replicas/bus.js';

/** Tells those that deliver what was appended. */
@Injectable()
export class Handover {
  constructor(
    private readonly telemetry: Telemetry,
    private readonly bus: Bus,
    private readonly loop: ReadyLoop,
    private readonly delivery: CallbackDelivery,
  ) {}

  /** `isReplay`: it was read again, and may have been delivered before. */
  appended(outcome: AppendOutcome, isReplay: boolean): void {
    this.telemetry.appended(outcome, isReplay);
    this.bus.wake(outcome.wake);
    for (const taken of outcome.taken) this.loop.take(taken);
    for (const given of outcome.given) this.delivery.give(given);
    if (outcome.callbacksReady) this.loop.kick();
  }
}
