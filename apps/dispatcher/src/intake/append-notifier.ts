import { Injectable } from '@nestjs/common';
import { ReadyLoop } from '../delivery/ready-loop.js';
import { Telemetry } from '../delivery/telemetry.js';
import type { AppendOutcome } from '../queue/append-outcome.js';
import { WakeUpBus } from '../replicas/wake-up-bus.js';

/** Tells the parts that deliver events what was appended. */
@Injectable()
export class AppendNotifier {
  constructor(
    private readonly telemetry: Telemetry,
    private readonly bus: WakeUpBus,
    private readonly loop: ReadyLoop,
  ) {}

  /** `isReplay`: the batch was read again, and may have been delivered before. */
  appended(outcome: AppendOutcome, isReplay: boolean): void {
    this.telemetry.appended(outcome, isReplay);
    this.bus.wake(outcome.wake);
    for (const claimed of outcome.claimed) this.loop.deliverClaimed(claimed);
    if (outcome.callbacksReady) this.loop.checkNow();
  }
}
