import type { Clock, Logger, Timer } from '@lanyard/service';
import type { RegistrationData, Session } from '../sessions/session.js';
import type { SessionFacts } from '../sessions/session-facts.js';
import type { Sessions } from '../sessions/sessions.js';
import { type CredentialBook, isWithdrawnBy, type Withdrawal } from './credential-book.js';

/** The replica that owns the session acts at once; the others look after this time whether it did. */
const ownerGraceMs = 3_000;

interface WithdrawalParts {
  book: CredentialBook;
  sessions: Sessions;
  facts: SessionFacts;
  clock: Clock;
  logger: Logger;
}

/**
 * A registration ends with the credential that it was made, or last updated, with. Commands keep waiting: the device may
 * come back with another one.
 */
export class Withdrawals {
  private readonly timers = new Set<Timer>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly parts: WithdrawalParts) {}

  /** Also makes up for what was withdrawn while this replica did not run. */
  start(): void {
    const { book, sessions } = this.parts;
    book.onWithdrawn((withdrawal) => this.withdrawn(withdrawal));
    // Also a new one: its credential may have been withdrawn while it was being stored.
    sessions.listen({ began: (session) => this.check(session) });
    for (const session of sessions.all()) this.check(session);
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await Promise.all(this.running);
  }

  private check(session: Session): void {
    if (!this.stands(session.data)) this.end(session.deviceId);
  }

  private stands({ credential }: RegistrationData): boolean {
    return credential === undefined || this.parts.book.isValid(credential);
  }

  private withdrawn(withdrawal: Withdrawal): void {
    for (const { deviceId, data } of this.parts.sessions.all())
      if (isWithdrawnBy(data.credential, withdrawal)) this.end(deviceId);
    const { deviceId } = withdrawal;
    if (deviceId !== undefined) this.later(() => this.run(deviceId, () => this.endAbandoned(deviceId)));
  }

  private end(deviceId: string): void {
    const { sessions } = this.parts;
    this.run(deviceId, () =>
      sessions.exclusive.run(deviceId, async () => {
        const session = sessions.get(deviceId);
        if (session && !this.stands(session.data)) await this.close(session);
      }),
    );
  }

  /** Its owner is gone: any replica may end it. */
  private async endAbandoned(deviceId: string): Promise<void> {
    const { sessions } = this.parts;
    const stored = await sessions.store.read(deviceId);
    if (!stored || this.stands(stored.data)) return;
    await sessions.with({ by: 'registration', registrationId: stored.registrationId }, '', async (session) => {
      if (session && !this.stands(session.data)) await this.close(session);
    });
  }

  private async close(session: Session): Promise<void> {
    await this.parts.facts.ended(session, 'deregistered', 'credential-withdrawn');
    await this.parts.sessions.close(session);
  }

  private run(deviceId: string, work: () => Promise<void>): void {
    const run: Promise<void> = work()
      .catch((error: unknown) => {
        this.parts.logger.error({ err: error, deviceId }, 'registration without credential not ended: tried again');
        this.later(() => this.run(deviceId, work));
      })
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private later(work: () => void): void {
    const timer = this.parts.clock.after(ownerGraceMs, () => {
      this.timers.delete(timer);
      work();
    });
    this.timers.add(timer);
  }
}
