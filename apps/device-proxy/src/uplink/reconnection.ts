import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { Observer } from '../observations/observer.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { schemeOf } from '../transport/peer-address.js';
import type { Sender } from '../transport/sender.js';

/**
 * A device that resumes its DTLS session is still registered, but has another connection. Some devices send no update then: their
 * first message is a notification or a Send. The session moves to the new connection if its credential is the one that registered.
 */
@Injectable()
export class Reconnection {
  constructor(
    private readonly sessions: Sessions,
    private readonly observer: Observer,
    private readonly directory: DeviceDirectory,
  ) {}

  /**
   * The session that was moved to this connection; undefined when the sender has none at another connection of this replica.
   * `token`: of an observation, which shows that the device still has its observations. Without a token they are made again.
   */
  async follow(sender: Sender, address: string, token?: string): Promise<Session | undefined> {
    const { observer, sessions } = this;
    const elsewhere = this.sessionElsewhere(sender, address);
    if (!elsewhere || (token !== undefined && !sessions.observing(elsewhere, token))) return undefined;
    const lookup = { by: 'registration', registrationId: elsewhere.registrationId } as const;
    return sessions.withSession(lookup, address, async (session) => {
      if (!session || session.address === address) return session;
      const previous = session.address;
      if (!(await sessions.move(session, address))) return undefined;
      await observer.moved(session, previous, { observes: token !== undefined });
      return session;
    });
  }

  private sessionElsewhere(sender: Sender, address: string): Session | undefined {
    const { credential } = sender;
    if (!credential || schemeOf(address) !== 'coaps') return undefined;
    const deviceId = this.directory.ofSender(sender)?.deviceId;
    const session = deviceId === undefined ? undefined : this.sessions.get(deviceId);
    if (!session || session.address === address || schemeOf(session.address) !== 'coaps') return undefined;
    return isDeepStrictEqual(session.data.credential, credential) ? session : undefined;
  }
}
