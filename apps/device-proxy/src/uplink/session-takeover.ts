import { type Logger, LOGGER } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { LastSeen } from '../sessions/last-seen.js';
import { Sessions } from '../sessions/sessions.js';

/**
 * Called when the DTLS connection of a device was continued here. Its session is taken over as well, whatever the device has sent:
 * an acknowledgement or an answer alone would not lead to the session. Waiting commands continue.
 */
@Injectable()
export class SessionTakeover {
  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  follow(accountId: string, address: string): void {
    const lookup = { by: 'address', accountId, address } as const;
    this.sessions
      .withSession(lookup, address, (session) => {
        if (session) this.lastSeen.recordMessage(session);
        return Promise.resolve();
      })
      // Then the next message of the device takes the session over.
      .catch((err: unknown) => this.logger.warn({ err, address }, 'session not taken over with its connection'));
  }
}
