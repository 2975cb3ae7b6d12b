import { Injectable } from '@nestjs/common';
import { type EndReason, SessionFacts } from './session-facts.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';

/** Ends sessions before their lifetime is over. */
@Injectable()
export class SessionEnds {
  constructor(
    private readonly sessions: Sessions,
    private readonly facts: SessionFacts,
  ) {}

  /**
   * Claims the end before announcing it: an end is announced only for a session that no other replica has and that no
   * message revives. If this replica dies in between, the sweeper of another one announces the end. False when a later epoch
   * has the session, or its lifetime is over.
   */
  async end(session: Session, reason: EndReason): Promise<boolean> {
    const endedAtMs = await this.sessions.claimEnd(session, reason);
    if (endedAtMs === undefined) return false;
    await this.facts.announceEnd(session, reason, endedAtMs);
    await this.sessions.close(session);
    return true;
  }
}
