import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { SessionFacts } from './session-facts.js';
import { sweepBatch, sweepLeaseMs, sweepPeriodMs } from './limits.js';
import { WakeUps } from './wake-ups.js';
import { Session } from './session.js';
import type { Ending } from './session-store.js';
import { Sessions } from './sessions.js';

/**
 * Ends sessions whose lifetime is over, and sessions whose end another replica left unfinished. Every replica looks for them;
 * a claim decides which replica announces an end. The session is removed after its fact is stored, so if a replica dies in
 * between, the next one announces the end.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: Timer | undefined;
  private running: Promise<void> = Promise.resolve();
  private busy = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly facts: SessionFacts,
    private readonly wakeUps: WakeUps,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(sweepPeriodMs, () => {
      if (this.busy) return;
      this.busy = true;
      this.running = this.sweep().finally(() => {
        this.busy = false;
      });
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.timer?.cancel();
    await this.deadline.step('sweeper', () => this.running);
  }

  private async sweep(): Promise<void> {
    try {
      const now = this.clock.now();
      const claimed = await this.sessions.store.claimExpired(now, now + sweepLeaseMs, sweepBatch);
      await Promise.all(claimed.map((ending) => this.end(ending)));
    } catch (error) {
      this.logger.error({ err: error }, 'expired sessions not announced: will be retried when the claim ends');
    }
  }

  private async end({ session: stored, owner, reason, endedAtMs }: Ending): Promise<void> {
    const { deviceId, epoch } = stored;
    const session = new Session(stored);
    await this.facts.announceEnd(session, reason, endedAtMs);
    const closed = await this.sessions.store.close(deviceId, epoch);
    try {
      await this.wakeUps.send(owner, { about: 'session', deviceId, epoch: epoch + 1 });
    } finally {
      // The devices behind a gateway expire when it does. If its session ended for another reason, theirs must end now,
      // because no later sweep finds the session of the gateway.
      if (closed && reason !== 'lifetime') await this.sessions.tellClosed(session);
    }
  }
}
