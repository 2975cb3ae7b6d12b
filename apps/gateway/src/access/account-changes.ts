import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import type { Outbox } from '@lanyard/kafka';
import { type Clock, NotFound } from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import { LastAdministrator } from '../errors.js';
import { Account } from './account.entity.js';
import type { ApiKey } from './api-key.entity.js';
import { permissionsOf } from './permissions.js';

/** A key that proves something: active, not over, of an active account. */
const isUsable = (key: ApiKey, account: Account, now: Date): boolean =>
  key.status === 'active' && account.status === 'active' && (key.expiresAt === null || key.expiresAt > now);

/** One change of an account's keys and groups, inside its transaction. */
export interface AccountChange {
  manager: EntityManager;
  account: Account;
  now: Date;
  /** The key as it is now, to whoever keeps a copy. `key.groups` must be loaded. */
  announce(key: ApiKey, status?: 'deleted'): Promise<void>;
}

const keepAnAdministrator = async (manager: EntityManager, accountId: string): Promise<void> => {
  const [found] = await manager.query<unknown[]>(
    `SELECT 1 FROM api_keys k JOIN api_key_groups m ON m.key_id = k.id JOIN key_groups g ON g.id = m.group_id
     WHERE k.account_id = $1 AND k.status = 'active' AND k.expires_at IS NULL AND g.kind = 'administrators' LIMIT 1`,
    [accountId],
  );
  if (found === undefined) throw new LastAdministrator();
};

/**
 * Every change of keys and groups goes through here. The account's row is locked: changes of one account come one
 * after the other, so announcements are in the order of commits, and the rule that an administrator stays holds.
 */
export class AccountChanges {
  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  /** Throws LastAdministrator when `work` leaves the account without an active administrator key. */
  async run<T>(accountId: string, work: (change: AccountChange) => Promise<T>): Promise<T> {
    return this.locked(accountId, async (change) => {
      const result = await work(change);
      await keepAnAdministrator(change.manager, accountId);
      return result;
    });
  }

  /** As `run`, for changes that take no administrator away. */
  async locked<T>(accountId: string, work: (change: AccountChange) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      const account = await manager.findOne(Account, { where: { id: accountId }, lock: { mode: 'pessimistic_write' } });
      if (!account) throw new NotFound('No such account.');
      return work(this.changeOf(manager, account));
    });
  }

  /** For a new or changed account, in the transaction that makes or changes it. */
  async announceAccount(manager: EntityManager, account: Account): Promise<void> {
    await this.outbox.append(manager, AccessAccounts, {
      accountId: account.id,
      tier: account.tier,
      status: account.status,
      autoCreateDevices: account.autoCreateDevices,
      ...(account.limits.devices !== undefined && { devicesMax: account.limits.devices }),
      changedAt: account.updatedAt.toISOString(),
    });
  }

  changeOf(manager: EntityManager, account: Account): AccountChange {
    const now = new Date(this.clock.now());
    return {
      manager,
      account,
      now,
      announce: (key, status) =>
        this.outbox.append(manager, AccessKeys, {
          keyId: key.id,
          accountId: key.accountId,
          hash: key.hash,
          ...(key.previousHash !== null &&
            key.previousUntil !== null && {
              previousHashes: [{ hash: key.previousHash, until: key.previousUntil.toISOString() }],
            }),
          ...(key.expiresAt !== null && { expiresAt: key.expiresAt.toISOString() }),
          groups: key.groups.map((group) => group.id),
          permissions: permissionsOf(key.groups),
          tier: account.tier,
          status: status ?? (isUsable(key, account, now) ? 'active' : 'inactive'),
          revision: key.revision,
          changedAt: key.updatedAt.toISOString(),
        }),
    };
  }
}
