import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type Clock, ConfigError, newId } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { FirstStart } from '../config.js';
import { Account } from '../db/account.entity.js';
import type { AccountChanges } from './account-changes.js';
import { makeAccount } from './new-account.js';

/** First half of the advisory lock's key: replicas that start together make one account. */
const firstStartLock = 0x1a57;

/** Whole or not at all, and readable by its owner only. */
const writeSecretFile = async (path: string, text: string): Promise<void> => {
  // Renaming would put a file in place of /dev/null, for everything on the machine.
  const before = await stat(path).catch(() => undefined);
  if (before && !before.isFile()) throw new ConfigError('GATEWAY_FIRST_KEY_FILE', `is not a regular file: "${path}"`);
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
    const { accountId, tier, autoCreateDevices } = wanted;
    const account = { displayName: 'Default', tier, autoCreateDevices, parentId: null };
    const { fullKey } = await makeAccount(manager, changes, { ...account, ...(accountId && { id: accountId }) }, now);
    await writeSecretFile(wanted.keyFile, `${fullKey}\n`);
    return true;
  });
