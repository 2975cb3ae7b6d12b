import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import { AuditTrail, causedBy, Outbox } from '@lanyard/kafka';
import { CLOCK, type Clock, type Identity, KeyedMutex, type RequestContext } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import { AccessKey } from '../db/access-key.entity.js';
import { Account } from '../db/account.entity.js';
import { Application } from '../db/application.entity.js';
import { AccountNotFound, LastAdministrator } from '../errors.js';
import { announcementOf, type Principal } from './announcements.js';
import { actorOf, type AuditAction } from './audit-action.js';

/** A transaction in which the row of the account is locked, and what changes of its keys, applications and groups need. */
export interface AccountTransaction {
  manager: EntityManager;
  account: Account;
  now: Date;
  /** Announces the current state of a principal to services with a copy. Its `groups` must be loaded. */
  announce(principal: Principal, status?: 'deleted'): Promise<void>;
  /** Writes to the event log of the account. */
  record(caller: Identity, auditAction: AuditAction): Promise<void>;
}

/** Throws LastAdministrator if the account has no active administrator key without limits and without expiration. */
const requireAdministrator = async (manager: EntityManager, accountId: string): Promise<void> => {
  const [found] = await manager.query<unknown[]>(
    `SELECT 1 FROM api_keys k JOIN api_key_groups m ON m.key_id = k.id JOIN key_groups g ON g.id = m.group_id
     WHERE k.account_id = $1 AND k.status = 'active' AND k.expires_at IS NULL AND g.kind = 'administrators'
       AND k.device_groups IS NULL AND k.source_addresses IS NULL AND NOT EXISTS (SELECT 1 FROM api_key_groups o
         JOIN key_groups l ON l.id = o.group_id WHERE o.key_id = k.id AND l.device_groups IS NOT NULL) LIMIT 1`,
    [accountId],
  );
  if (found === undefined) throw new LastAdministrator();
};

/**
 * Every change of keys, applications and groups goes through here. The account's row is locked: changes of one account
 * are serialised, so announcements are in the order of commits, and one administrator always remains.
 */
@Injectable()
export class AccountTransactions {
  /**
   * One transaction per account at a time: those that wait for the row of the account would hold connections of the pool,
   * and authentication reads keys over the same pool.
   */
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly audit: AuditTrail,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Throws AccountNotFound, LastAdministrator when `work` leaves the account without an active administrator key. */
  async run<T>(
    { accountId, caller }: RequestContext,
    work: (transaction: AccountTransaction) => Promise<T>,
  ): Promise<T> {
    return this.locked(accountId, async (transaction) => {
      causedBy(transaction.manager, caller.requestId);
      const result = await work(transaction);
      await requireAdministrator(transaction.manager, accountId);
      return result;
    });
  }

  /** Like `run`, for changes that cannot remove an administrator: it does not look for one. */
  async locked<T>(accountId: string, work: (transaction: AccountTransaction) => Promise<T>): Promise<T> {
    const announced: string[] = [];
    const runWith = async (manager: EntityManager): Promise<T> => {
      const account = await manager.findOne(Account, { where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
      if (!account) throw new AccountNotFound();
      return work(this.transactionOf(manager, account, announced));
    };
    const result = await this.mutex.run(accountId, () => this.database.transaction(runWith));
    for (const id of announced) this.known.invalidate(id);
    return result;
  }

  /** Announces a new or changed account, in the transaction that creates or changes it. */
  async announceAccount(manager: EntityManager, account: Account): Promise<void> {
    await this.outbox.append(manager, AccessAccounts, {
      accountId: account.id,
      tier: account.tier,
      status: account.status,
      autoCreateDevices: account.autoCreateDevices,
      ...(account.presubscriptionsNoContent && { presubscriptionsNoContent: true }),
      ...(account.limits.devices !== undefined && { devicesMax: account.limits.devices }),
      ...(account.valueHistory && { valueHistory: account.valueHistory }),
      changedAt: account.updatedAt.toISOString(),
    });
  }

  /** For a transaction that has locked or created the account. The ids of announced principals are added to `announced`. */
  transactionOf(manager: EntityManager, account: Account, announced: string[] = []): AccountTransaction {
    const now = new Date(this.clock.now());
    return {
      manager,
      account,
      now,
      announce: async (principal, status) => {
        const accessKeys =
          principal instanceof Application ? await manager.findBy(AccessKey, { applicationId: principal.id }) : [];
        const announcement = announcementOf(principal, account, accessKeys, now);
        await this.outbox.append(manager, AccessKeys, { ...announcement, ...(status && { status }) });
        announced.push(principal.id);
      },
      record: (caller, { action, ...details }) =>
        this.audit.record(manager, action, { ...details, accountId: account.id, actor: actorOf(caller) }, now),
    };
  }
}
