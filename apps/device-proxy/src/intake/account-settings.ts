import type { AccessAccountChanged } from '@lanyard/contracts';
import type { StateReader } from '@lanyard/kafka';

/** Settings of accounts that change how requests of their applications are answered. */
export class AccountSettings {
  constructor(private readonly accounts: StateReader<AccessAccountChanged>) {}

  /** 202 (spec §4.4), or 204 where the account asked for it. */
  presubscriptionsStatus(accountId: string): 202 | 204 {
    return this.accounts.get(accountId)?.presubscriptionsNoContent ? 204 : 202;
  }
}
