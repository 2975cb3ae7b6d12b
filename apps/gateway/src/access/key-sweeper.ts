import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, In, LessThanOrEqual } from 'typeorm';
import { AccessKey } from '../db/access-key.entity.js';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import { ApiKey } from '../db/api-key.entity.js';
import { Application } from '../db/application.entity.js';
import { storePrincipal } from './membership.js';

/** How late the end of a key or of an overlap may be announced; the gateway itself checks the clock. */
const periodMs = 1_000;
const keysAtOnce = 500;

/**
 * Selects one key of each account, then a second one of each, and so on, so that the keys of an account that fails
 * every time cannot take all places.
 */
const dueSql = `
  SELECT id, account_id FROM (
    SELECT id, account_id FROM api_keys WHERE expires_at <= $1 AND NOT expiry_announced
    UNION SELECT id, account_id FROM api_keys WHERE previous_until <= $1
    UNION SELECT application_id, account_id FROM access_keys WHERE expires_at <= $1 AND NOT expiry_announced
  ) AS due ORDER BY row_number() OVER (PARTITION BY account_id) LIMIT ${keysAtOnce}`;

/** Announces keys and access keys that expired, and overlaps that ended. Runs on every replica; repeats do nothing. */
@Injectable()
export class KeySweeper extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly transactions: AccountTransactions,
  ) {
    super(periodMs, 'ends of keys not announced: will be retried');
  }

  protected async step(): Promise<void> {
    const due = await this.database.query<{ id: string; account_id: string }[]>(dueSql, [new Date(this.clock.now())]);
    for (const accountId of new Set(due.map((key) => key.account_id))) {
      const ids = due.filter((key) => key.account_id === accountId).map((key) => key.id);
      await this.announceEndsOf(accountId, ids);
    }
  }

  /** A failure for one account may recur each time, so it does not keep the others from their turn. */
  private async announceEndsOf(accountId: string, ids: readonly string[]): Promise<void> {
    try {
      await this.transactions.locked(accountId, (transaction) => this.announceEnds(transaction, ids));
    } catch (err) {
      // Ends the step if PostgreSQL is down, because all other accounts would fail, too.
      await this.database.query('SELECT 1');
      this.logger.warn({ err, accountId }, 'ends of keys of an account not announced: will be retried');
    }
  }

  /** Reads the keys again under the lock: another replica may have announced their ends, or a key was changed. */
  private async announceEnds(transaction: AccountTransaction, ids: readonly string[]): Promise<void> {
    const keys = await transaction.manager.find(ApiKey, { where: { id: In([...ids]) }, relations: { groups: true } });
    for (const key of keys) {
      const expired = key.expiresAt !== null && key.expiresAt <= transaction.now && !key.expiryAnnounced;
      const overlapped = key.previousUntil !== null && key.previousUntil <= transaction.now;
      if (!expired && !overlapped) continue;
      if (expired) key.expiryAnnounced = true;
      if (overlapped) {
        key.previousHash = null;
        key.previousUntil = null;
      }
      await storePrincipal(transaction, key);
    }
    await this.endAccessKeys(transaction, ids);
  }

  private async endAccessKeys(transaction: AccountTransaction, applicationIds: readonly string[]): Promise<void> {
    const over = { expiresAt: LessThanOrEqual(transaction.now), expiryAnnounced: false };
    const where = { ...over, applicationId: In([...applicationIds]) };
    const keys = await transaction.manager.findBy(AccessKey, where);
    if (keys.length === 0) return;
    await transaction.manager.update(AccessKey, { id: In(keys.map((key) => key.id)) }, { expiryAnnounced: true });
    const applications = await transaction.manager.find(Application, {
      where: { id: In(keys.map((key) => key.applicationId)) },
      relations: { groups: true },
    });
    for (const application of applications) await storePrincipal(transaction, application);
  }
}
