import { Injectable } from '@nestjs/common';
import { SessionFacts } from '../sessions/session-facts.js';
import { Sessions } from '../sessions/sessions.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';

/** `DELETE /rd/<id>` (LwM2M 1.1 core §6.2.3). Commands keep waiting: the device may register again. */
@Injectable()
export class Deregister {
  constructor(
    private readonly sessions: Sessions,
    private readonly facts: SessionFacts,
  ) {}

  async answer(request: UplinkRequest, registrationId: string): Promise<UplinkReply> {
    const lookup = { by: 'registration' as const, registrationId };
    if (!(await this.sessions.belongsTo(lookup, request.sender))) return { code: '4.03' };
    return this.sessions.with(lookup, request.address, async (session) => {
      if (!session) return { code: '4.04' };
      await this.facts.announceEnd(session, 'deregistered', 'device');
      await this.sessions.close(session);
      return { code: '2.02' };
    });
  }
}
