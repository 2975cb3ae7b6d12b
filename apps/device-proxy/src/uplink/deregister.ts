import { Injectable } from '@nestjs/common';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';

/** `DELETE /rd/<id>` (LwM2M 1.1 core §6.2.3). Commands keep waiting: the device may register again. */
@Injectable()
export class Deregister {
  constructor(
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
  ) {}

  async answer(request: UplinkRequest, registrationId: string): Promise<UplinkReply> {
    const lookup = { by: 'registration' as const, registrationId };
    if (!(await this.sessions.belongsTo(lookup, request.sender))) return { code: '4.03' };
    const attempt = (): Promise<UplinkReply | undefined> =>
      this.sessions.withSession(lookup, request.address, async (session) => {
        if (!session) return { code: '4.04' };
        return (await this.ends.end(session, 'device')) ? { code: '2.02' } : undefined;
      });
    // The first attempt drops a copy that another replica has taken over; the second one takes the session over again.
    return (await attempt()) ?? (await attempt()) ?? { code: '4.04' };
  }
}
