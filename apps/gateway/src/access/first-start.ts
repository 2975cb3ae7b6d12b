import { mkdir, open, rename, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { awaiting, CLOCK, type Clock, CONFIG, ConfigError, type Logger, LOGGER, newId } from '@lanyard/service';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { GatewayConfig } from '../config.js';
import { Account } from '../db/account.entity.js';
import { AccountTransactions } from './account-transactions.js';
import { makeAccount } from './new-account.js';

/** First half of the advisory lock's key: replicas that start together create one account. */
const firstStartLock = 0x1a57;

/** Writes the file atomically, readable by its owner only. */
const writeSecretFile = async (path: string, text: string): Promise<void> => {
  // Renaming would replace /dev/null with a file for the whole machine.
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
 * Creates the account, its two groups, and the first administrator key if there is no account yet. The file is written
 * before the commit: a crash between the two leaves a file that the next start replaces, never a key that is lost.
 */
@Injectable()
export class FirstStart implements OnModuleInit {
  constructor(
    private readonly database: DataSource,
    private readonly transactions: AccountTransactions,
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async onModuleInit(): Promise<void> {
    const file = await awaiting('PostgreSQL: the first account', this.makeFirstAccount());
    if (file !== undefined) this.logger.info({ file }, 'first start: the administrator key is in the file');
  }

  /** The file of the key; undefined if an account already exists. */
  private makeFirstAccount(): Promise<string | undefined> {
    const { keyFile, accountId, tier, autoCreateDevices } = this.config.firstStart;
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1, 0)', [firstStartLock]);
      if ((await manager.count(Account)) > 0) return undefined;
      if (keyFile === undefined)
        throw new ConfigError(
          'GATEWAY_FIRST_KEY_FILE',
          'is not set, and the database is empty: name a file for the first administrator key',
        );
      const account = { displayName: 'Default', tier, autoCreateDevices, parentId: null };
      const wanted = { ...account, ...(accountId && { id: accountId }) };
      const { fullKey } = await makeAccount(manager, this.transactions, wanted, new Date(this.clock.now()));
      await writeSecretFile(keyFile, `${fullKey}\n`);
      return keyFile;
    });
  }
}
