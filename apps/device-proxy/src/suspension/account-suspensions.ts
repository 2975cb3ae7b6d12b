import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Listeners } from '../listeners/listeners.js';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';
import type { Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import { WorkingProvider } from '../working-provider.js';

const retryDelayMs = 3_000;

/** Devices of a suspended account are disconnected, and their registrations end. They register again when the account is active again. */
@Injectable()
export class AccountSuspensions extends WorkingProvider implements OnApplicationBootstrap {
  constructor(
    private readonly accounts: AccessAccountsReader,
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
    private readonly listeners: Listeners,
  ) {
    super('suspensions');
  }

  /** Also handles accounts that were suspended while no replica ran, and sessions of a replica that is gone. */
  onApplicationBootstrap(): void {
    const { accounts, sessions } = this;
    accounts.onChange((accountId) => this.changed(accountId));
    sessions.listen({ began: (session) => this.check(session) });
    for (const session of sessions.all()) this.check(session);
  }

  private changed(accountId: string): void {
    const { accounts, listeners, sessions } = this;
    if (!accounts.isSuspended(accountId)) return;
    listeners.disconnect(accountId, 'Account suspended');
    for (const session of sessions.all()) if (session.accountId === accountId) this.check(session);
  }

  private check({ accountId, deviceId }: Session): void {
    if (this.accounts.isSuspended(accountId)) this.endSession(deviceId);
  }

  private endSession(deviceId: string): void {
    this.work.run(
      () => this.endNow(deviceId),
      (err) => {
        this.logger.error({ err, deviceId }, 'session in a suspended account not ended: will be retried');
        this.work.later(retryDelayMs, () => this.endSession(deviceId));
      },
    );
  }

  private endNow(deviceId: string): Promise<void> {
    const { accounts, ends, sessions } = this;
    return sessions.exclusive.run(deviceId, async () => {
      const session = sessions.get(deviceId);
      if (session && accounts.isSuspended(session.accountId)) await ends.end(session, 'suspended');
    });
  }
}
