import { CONFIG } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { DeviceProxyConfig } from '../config.js';
import type { RegistrationData, Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import { WorkingProvider } from '../working-provider.js';
import { CredentialIndex, isWithdrawnBy, type Withdrawal } from './credential-index.js';

/** The replica that owns the session acts at once; the others check after this time that the session has ended. */
const ownerGraceMs = 3_000;

/**
 * A registration ends with the credential with which it was made or last updated. Commands keep waiting: the device may come
 * back with another credential.
 */
@Injectable()
export class CredentialRevocation extends WorkingProvider implements OnApplicationBootstrap {
  constructor(
    private readonly credentials: CredentialIndex,
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
    @Inject(CONFIG) private readonly config: DeviceProxyConfig,
  ) {
    super('credential revocation');
  }

  /** Also handles credentials that were withdrawn while this replica was down. */
  onApplicationBootstrap(): void {
    if (!this.config.tls && !this.config.dtls) return;
    const { credentials, sessions } = this;
    credentials.onWithdrawn((withdrawal) => this.withdrawn(withdrawal));
    // Also checks new sessions: a credential may have been withdrawn while its session was being stored.
    sessions.listen({ began: (session) => this.check(session) });
    for (const session of sessions.all()) this.check(session);
  }

  private check(session: Session): void {
    if (!this.isCredentialValid(session.data)) this.endSession(session.deviceId);
  }

  private isCredentialValid({ credential }: RegistrationData): boolean {
    return credential === undefined || this.credentials.isValid(credential);
  }

  private withdrawn(withdrawal: Withdrawal): void {
    const { deviceId } = withdrawal;
    for (const session of this.sessionsOf(deviceId))
      if (isWithdrawnBy(session.data.credential, withdrawal)) this.endSession(session.deviceId);
    if (deviceId !== undefined)
      this.work.later(ownerGraceMs, () => this.run(deviceId, () => this.endAbandoned(deviceId)));
  }

  /** The sessions that a withdrawal may affect. A device's credential is used by that device only, an issuer's by any device. */
  private sessionsOf(deviceId: string | undefined): Iterable<Session> {
    if (deviceId === undefined) return this.sessions.all();
    const session = this.sessions.get(deviceId);
    return session ? [session] : [];
  }

  private endSession(deviceId: string): void {
    const { sessions } = this;
    this.run(deviceId, () =>
      sessions.exclusive.run(deviceId, async () => {
        const session = sessions.get(deviceId);
        if (session && !this.isCredentialValid(session.data)) await this.ends.end(session, 'credential-withdrawn');
      }),
    );
  }

  /** Ends a session that its owner has not ended in time: the owner is gone, so any replica may end it. */
  private async endAbandoned(deviceId: string): Promise<void> {
    const { sessions } = this;
    const stored = await sessions.store.read(deviceId);
    if (!stored || this.isCredentialValid(stored.data)) return;
    await sessions.withSession({ by: 'registration', registrationId: stored.registrationId }, '', async (session) => {
      if (session && !this.isCredentialValid(session.data)) await this.ends.end(session, 'credential-withdrawn');
    });
  }

  private run(deviceId: string, work: () => Promise<void>): void {
    this.work.run(work, (err) => {
      this.logger.error({ err, deviceId }, 'registration without credential not ended: will be retried');
      this.work.later(ownerGraceMs, () => this.run(deviceId, work));
    });
  }
}
