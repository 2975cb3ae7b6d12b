import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
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
export class Sweeper extends BackgroundWork {
  constructor(
    private readonly sessions: Sessions,
    private readonly facts: SessionFacts,
    private readonly wakeUps: WakeUps,
  ) {
    super(sweepPeriodMs, 'expired sessions not announced: will be retried when the claim ends');
  }

  protected async step(): Promise<void> {
    const now = this.clock.now();
    const claimed = await this.sessions.store.claimExpired(now, now + sweepLeaseMs, sweepBatch);
    await Promise.all(claimed.map((ending) => this.end(ending)));
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
