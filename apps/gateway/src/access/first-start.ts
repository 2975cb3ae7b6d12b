import { mkdir, open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, ConfigError, formatApiKey, hashSecret, newId, newSecret } from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import type { FirstStart } from '../config.js';
import { Account } from './account.entity.js';
import type { AccountChanges } from './account-changes.js';
import { ApiKey } from './api-key.entity.js';
import { KeyGroup } from './key-group.entity.js';

/** First half of the advisory lock's key: replicas that start together make one account. */
const firstStartLock = 0x1a57;

/** Whole or not at all, and readable by its owner only. */
const writeSecretFile = async (path: string, text: string): Promise<void> => {
  const unfinished = `${path}.${process.pid}.${newId()}`;
  await mkdir(dirname(path), { recursive: true });
  const file = await open(unfinished, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
};

const newAccount = (manager: EntityManager, { accountId, tier, autoCreateDevices }: FirstStart, now: Date): Account =>
  manager.create(Account, {
    id: accountId ?? newId(now.getTime()),
    displayName: 'Default',
    tier,
    status: 'active',
    autoCreateDevices,
    revision: 1,
    createdAt: now,
    updatedAt: now,
  });

const newGroups = (
  manager: EntityManager,
  accountId: string,
  now: Date,
): { administrators: KeyGroup; developers: KeyGroup } => {
  const group = (kind: 'administrators' | 'developers', name: string): KeyGroup =>
    manager.create(KeyGroup, {
      id: newId(now.getTime()),
      accountId,
      name,
      kind,
      revision: 1,
      createdAt: now,
      updatedAt: now,
    });
  return { administrators: group('administrators', 'Administrators'), developers: group('developers', 'Developers') };
};

/**
 * Makes the account, its two groups and the first administrator key, when there is no account yet. The file is
 * written before the commit: a crash between leaves a file that the next start replaces, never a key nobody knows.
 * Answers whether this replica made them.
 */
export const firstStart = async (
  database: DataSource,
  changes: AccountChanges,
  wanted: FirstStart,
  clock: Clock,
): Promise<boolean> =>
  database.transaction(async (manager) => {
    await manager.query('SELECT pg_advisory_xact_lock($1, 0)', [firstStartLock]);
    if ((await manager.count(Account)) > 0) return false;
    if (wanted.keyFile === undefined)
      throw new ConfigError(
        'GATEWAY_FIRST_KEY_FILE',
        'is not set, and the database is empty: name a file for the first administrator key',
      );
    const now = new Date(clock.now());
    const account = await manager.save(newAccount(manager, wanted, now));
    await changes.announceAccount(manager, account);
    const { administrators, developers } = newGroups(manager, account.id, now);
    await manager.save([administrators, developers]);
    const id = newId(now.getTime());
    const secret = newSecret(account.id, id);
    const key = await manager.save(
      manager.create(ApiKey, {
        id,
        accountId: account.id,
        name: 'First administrator',
        owner: null,
        hash: hashSecret(secret),
        status: 'active',
        revision: 1,
        createdAt: now,
        updatedAt: now,
        lastLoginAt: null,
        groups: [administrators],
      }),
    );
    await changes.changeOf(manager, account).announce(key);
    await writeSecretFile(wanted.keyFile, `${formatApiKey({ accountId: account.id, keyId: id, secret })}\n`);
    return true;
  });
