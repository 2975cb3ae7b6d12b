import type { AccessAccountChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';
import type { Clock, Logger, Timer } from '@lanyard/service';
import type { Session } from '../sessions/session.js';
import type { SessionFacts } from '../sessions/session-facts.js';
import type { Sessions } from '../sessions/sessions.js';

/** Pause before what failed is tried again. */
const againMs = 3_000;

interface SuspensionParts {
  accounts: Pick<StateReader<AccessAccountChanged>, 'get' | 'onChange'>;
  sessions: Sessions;
  facts: SessionFacts;
  /** Closes the open connections of devices of the account. */
  disconnect: (accountId: string) => void;
  clock: Clock;
  logger: Logger;
}

export const isSuspended = (accounts: Pick<StateReader<AccessAccountChanged>, 'get'>, accountId: string): boolean =>
  accounts.get(accountId)?.status === 'suspended';

/** Devices of a suspended account are disconnected, and their registrations end. They register again when it returns. */
export class AccountSuspensions {
  private readonly timers = new Set<Timer>();
  private readonly running = new Set<Promise<void>>();

  constructor(private readonly parts: SuspensionParts) {}

  /** Also makes up for accounts that were suspended while no replica ran, and for sessions of a replica that is gone. */
  start(): void {
    const { accounts, sessions } = this.parts;
    accounts.onChange((accountId) => this.changed(accountId));
    sessions.listen({ began: (session) => this.check(session) });
    for (const session of sessions.all()) this.check(session);
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await Promise.all(this.running);
  }

  private changed(accountId: string): void {
    const { accounts, disconnect, sessions } = this.parts;
    if (!isSuspended(accounts, accountId)) return;
    disconnect(accountId);
    for (const session of sessions.all()) if (session.accountId === accountId) this.check(session);
  }

  private check({ accountId, deviceId }: Session): void {
    if (isSuspended(this.parts.accounts, accountId)) this.end(deviceId);
  }

  private end(deviceId: string): void {
    const run: Promise<void> = this.endNow(deviceId)
      .catch((err: unknown) => {
        this.parts.logger.error({ err, deviceId }, 'session in a suspended account not ended: tried again');
        this.later(() => this.end(deviceId));
      })
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private endNow(deviceId: string): Promise<void> {
    const { accounts, facts, sessions } = this.parts;
    return sessions.exclusive.run(deviceId, async () => {
      const session = sessions.get(deviceId);
      if (!session || !isSuspended(accounts, session.accountId)) return;
      await facts.ended(session, 'deregistered', 'suspended');
      await sessions.close(session);
    });
  }

  private later(work: () => void): void {
    const timer = this.parts.clock.after(againMs, () => {
      this.timers.delete(timer);
      work();
    });
    this.timers.add(timer);
  }
}
