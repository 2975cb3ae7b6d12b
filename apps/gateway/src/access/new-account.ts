import { formatApiKey, hashSecret, newId, newSecret } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import type { AccountTransactions } from './account-transactions.js';
import { Account } from '../db/account.entity.js';
import { ApiKey } from '../db/api-key.entity.js';
import { KeyGroup } from '../db/key-group.entity.js';
import type { GroupKind } from '../permissions.js';

export type WantedAccount = Partial<
  Pick<Account, 'id' | 'email' | 'company' | 'limits' | 'profile' | 'presubscriptionsNoContent' | 'valueHistory'>
> &
  Pick<Account, 'displayName' | 'tier' | 'autoCreateDevices' | 'parentId'>;

export interface MadeAccount {
  account: Account;
  key: ApiKey;
  /** Contains the secret of the first administrator key, which cannot be read again. */
  fullKey: string;
}

const groupOf = (manager: EntityManager, account: Account, kind: GroupKind, name: string): KeyGroup =>
  manager.create(KeyGroup, {
    id: newId(account.createdAt.getTime()),
    accountId: account.id,
    name,
    kind,
    permissions: null,
    revision: 1,
    createdAt: account.createdAt,
    updatedAt: account.createdAt,
  });

export const newKey = (
  manager: EntityManager,
  fields: Pick<ApiKey, 'id' | 'accountId' | 'name' | 'hash' | 'groups' | 'createdAt'> & Partial<ApiKey>,
): ApiKey =>
  manager.create(ApiKey, {
    owner: null,
    status: 'active',
    previousHash: null,
    previousUntil: null,
    deviceGroups: null,
    sourceAddresses: null,
    expiresAt: null,
    expiryAnnounced: false,
    revision: 1,
    updatedAt: fields.createdAt,
    lastLoginAt: null,
    ...fields,
  });

/** An account with its two groups and its first administrator key, announced. */
export const makeAccount = async (
  manager: EntityManager,
  transactions: AccountTransactions,
  wanted: WantedAccount,
  now: Date,
): Promise<MadeAccount> => {
  const account = await manager.save(
    manager.create(Account, {
      id: newId(now.getTime()),
      email: null,
      company: null,
      limits: {},
      profile: {},
      presubscriptionsNoContent: false,
      valueHistory: null,
      status: 'active',
      revision: 1,
      createdAt: now,
      updatedAt: now,
      ...wanted,
    }),
  );
  await transactions.announceAccount(manager, account);
  const administrators = groupOf(manager, account, 'administrators', 'Administrators');
  await manager.save([administrators, groupOf(manager, account, 'developers', 'Developers')]);
  const id = newId(now.getTime());
  const secret = newSecret(account.id, id);
  const key = await manager.save(
    newKey(manager, {
      id,
      accountId: account.id,
      name: 'First administrator',
      hash: hashSecret(secret),
      groups: [administrators],
      createdAt: now,
    }),
  );
  await transactions.transactionOf(manager, account).announce(key);
  return { account, key, fullKey: formatApiKey({ accountId: account.id, keyId: id, secret }) };
};
