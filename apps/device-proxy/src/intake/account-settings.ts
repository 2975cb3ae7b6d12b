import { Injectable } from '@nestjs/common';
import { AccessAccountsReader } from '../state/access-accounts.reader.js';

/** Settings of accounts that change the responses to their applications. */
@Injectable()
export class AccountSettings {
  constructor(private readonly accounts: AccessAccountsReader) {}

  /** 202 (spec §4.4), or 204 if the account has set it. */
  presubscriptionsStatus(accountId: string): 202 | 204 {
    return this.accounts.get(accountId)?.presubscriptionsNoContent ? 204 : 202;
  }
}
