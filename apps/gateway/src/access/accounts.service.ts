import { isDeepStrictEqual } from 'node:util';
import { causedBy } from '@lanyard/kafka';
import {
  changesOf,
  CLOCK,
  type Clock,
  type Identity,
  type ListEnvelope,
  type ListQuery,
  type RequestContext,
} from '@lanyard/service';
import { Inject, Injectable, type PipeTransform } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import { AccountNotFound, InstallationAccountStays, OnlyInstallationAdministrators } from '../errors.js';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import { Account, type AccountLimits } from '../db/account.entity.js';
import {
  type AccountChange,
  accountChanges,
  accountRecord,
  type AccountRecord,
  changedHistory,
  changedProfile,
  type CreatedAccountRecord,
  isLongerHistory,
  type NewAccount,
  tierOf,
} from './account-record.js';
import { differences, requireIfMatch } from './audit-action.js';
import { pageOfEntities } from './page-of-entities.js';
import { principalsOfAccount, storePrincipal } from './membership.js';
import { makeAccount } from './new-account.js';
import { installation } from '../permissions.js';

const source = {
  entity: Account,
  from: 'accounts t',
  columns: { status: 'upper(t.status)', tier: `(CASE t.tier WHEN 'free' THEN '0' ELSE '1' END)` },
  where: 'true',
  parameters: [],
};

const merged = (limits: AccountLimits, wanted: AccountChange['limits'] = {}): AccountLimits =>
  Object.fromEntries(Object.entries({ ...limits, ...wanted }).filter(([, value]) => value != null)) as AccountLimits;

/** The tenants of an installation. Administrators of the account without a parent manage all of them. */
@Injectable()
export class AccountsService {
  constructor(
    private readonly database: DataSource,
    private readonly transactions: AccountTransactions,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  list(query: ListQuery): Promise<ListEnvelope<AccountRecord>> {
    return pageOfEntities(this.database.manager, source, query, (accounts) => accounts.map(accountRecord));
  }

  /**
   * The account id of a path, which may be `me`. Throws OnlyInstallationAdministrators for another account than that of
   * the caller, whether or not it exists, unless the caller administers the installation.
   */
  idOf(caller: Identity, id: string): string {
    const accountId = id === 'me' ? caller.accountId : id;
    if (accountId !== caller.accountId && !caller.permissions.includes(installation))
      throw new OnlyInstallationAdministrators();
    return accountId;
  }

  async find(id: string): Promise<Account> {
    const account = await this.database.manager.findOne(Account, { where: { id } });
    if (!account) throw new AccountNotFound();
    return account;
  }

  /** Only this response contains the first administrator key of the account. */
  async create(caller: Identity, wanted: NewAccount): Promise<CreatedAccountRecord> {
    const now = new Date(this.clock.now());
    const made = await this.database.transaction(async (manager) => {
      causedBy(manager, caller.requestId);
      const parts = {
        parentId: caller.accountId,
        displayName: wanted.display_name,
        email: wanted.email ?? null,
        company: wanted.company ?? null,
        tier: tierOf(wanted.tier ?? '1'),
        autoCreateDevices: wanted.auto_create_devices ?? false,
        presubscriptionsNoContent: wanted.presubscriptions_no_content ?? false,
        limits: merged({}, wanted.limits),
        valueHistory: changedHistory(null, wanted.value_history),
        profile: changedProfile({}, wanted),
      };
      const { account, key, fullKey } = await makeAccount(manager, this.transactions, parts, now);
      const target = { kind: 'account', id: account.id, name: account.displayName };
      await this.transactions.transactionOf(manager, account).record(caller, { action: 'SYS_500', target });
      return { account, key, fullKey };
    });
    return { ...accountRecord(made.account), admin_key: made.fullKey, admin_key_id: made.key.id };
  }

  /** Changes the given fields. A new tier or status is announced with every key and application of the account. */
  async update(context: RequestContext, body: AccountChange): Promise<AccountRecord> {
    const { caller } = context;
    const id = this.idOf(caller, context.id);
    const changed = await this.transactions.locked(id, async (transaction) => {
      const { account, manager, now } = transaction;
      causedBy(manager, caller.requestId);
      requireIfMatch(context, account);
      const before = { ...account };
      this.apply(account, changesOf(body, accountChanges, accountRecord(account)));
      const concernsPrincipals = account.tier !== before.tier || account.status !== before.status;
      const needsInstallation =
        concernsPrincipals ||
        !isDeepStrictEqual(account.limits, before.limits) ||
        isLongerHistory(account.valueHistory, before.valueHistory);
      if (needsInstallation && !caller.permissions.includes(installation)) throw new OnlyInstallationAdministrators();
      if (account.parentId === null && account.status === 'suspended') throw new InstallationAccountStays();
      account.revision += 1;
      // The registry follows the later of two facts. The clock of this replica may be behind that of the last change.
      account.updatedAt = new Date(Math.max(now.getTime(), account.updatedAt.getTime() + 1));
      await manager.save(account);
      await this.transactions.announceAccount(manager, account);
      if (concernsPrincipals)
        for (const principal of await principalsOfAccount(manager, id)) await storePrincipal(transaction, principal);
      await this.record(transaction, caller, before);
      return account;
    });
    this.known.invalidateAccount(id);
    return accountRecord(changed);
  }

  private async record({ account, record }: AccountTransaction, caller: Identity, before: Account): Promise<void> {
    const changes = differences(accountRecord(before), accountRecord(account));
    const status = changes['status'];
    await record(caller, {
      action: status === undefined ? 'SYS_501' : status === 'SUSPENDED' ? 'SYS_502' : 'SYS_503',
      target: { kind: 'account', id: account.id, name: account.displayName },
      changes,
    });
  }

  private apply(account: Account, wanted: AccountChange): void {
    if (wanted.display_name !== undefined) account.displayName = wanted.display_name;
    if (wanted.email !== undefined) account.email = wanted.email;
    if (wanted.company !== undefined) account.company = wanted.company;
    if (wanted.auto_create_devices !== undefined) account.autoCreateDevices = wanted.auto_create_devices;
    if (wanted.presubscriptions_no_content !== undefined)
      account.presubscriptionsNoContent = wanted.presubscriptions_no_content;
    if (wanted.tier !== undefined) account.tier = tierOf(wanted.tier);
    if (wanted.status !== undefined) account.status = wanted.status === 'ACTIVE' ? 'active' : 'suspended';
    account.limits = merged(account.limits, wanted.limits);
    account.valueHistory = changedHistory(account.valueHistory, wanted.value_history);
    account.profile = changedProfile(account.profile, wanted);
  }
}

/** Acts in the account `:account` of the path. Throws AccountNotFound. */
@Injectable()
export class ExistingAccount implements PipeTransform<RequestContext, Promise<RequestContext>> {
  constructor(private readonly accounts: AccountsService) {}

  async transform(context: RequestContext): Promise<RequestContext> {
    const { id } = await this.accounts.find(context.params['account'] ?? '');
    return { ...context, accountId: id };
  }
}
