import type { DataSource } from 'typeorm';
import { QueryTimedOut, RateLimited } from '../errors/service-error.js';
import { statementMaxMs } from './open-database.js';

/**
 * How many connections of a pool the queries of all accounts, and those of one account, may hold at the same time.
 * These queries are lists, pages of exports and the like. The other connections stay free.
 */
const runningMax = 6;
const runningOfAccountMax = 5;

/** Queries of one account that may wait for a slot. */
const waitingMax = 200;
const retryAfterSeconds = 1;

/** When another account comes and this many are known, those without a query are forgotten. */
const accountsMax = 1_000;

/** PostgreSQL cancelled the statement after `statementMaxMs`. */
const queryCanceled = '57014';

const withReason = (error: unknown): unknown =>
  (error as { code?: unknown } | undefined)?.code === queryCanceled
    ? new QueryTimedOut(statementMaxMs / 1_000, error)
    : error;

interface Share {
  running: number;
  waiting: (() => void)[];
}

const queueOf = new WeakMap<DataSource, FairQueue>();

/**
 * Fair queueing of slow queries. A free slot goes to the account with the fewest running queries, and
 * among those to the one that waits longest: an account that requests a hundred lists at once delays only itself.
 */
export class FairQueue {
  private readonly shares = new Map<string, Share>();
  /** Accounts in the order of their turns. */
  private readonly queue: Share[] = [];
  private running = 0;

  /** The queue of everything that is read over one pool. */
  static at(database: DataSource): FairQueue {
    let queue = queueOf.get(database);
    if (!queue) queueOf.set(database, (queue = new FairQueue()));
    return queue;
  }

  /**
   * `accountId`: also for lists of one of the account's keys. Rejects as `work` does, with QueryTimedOut when
   * PostgreSQL cancelled its statement, and with RateLimited when too many queries of the account wait.
   */
  async run<T>(accountId: string, work: () => Promise<T>): Promise<T> {
    const share = this.shareOf(accountId);
    if (this.running >= runningMax || share.running >= runningOfAccountMax) await this.waitForSlot(share);
    else this.occupySlot(share);
    try {
      return await work();
    } catch (error) {
      throw withReason(error);
    } finally {
      this.running--;
      share.running--;
      this.next();
    }
  }

  private occupySlot(share: Share): void {
    this.running++;
    share.running++;
  }

  private waitForSlot(share: Share): Promise<void> {
    if (share.waiting.length >= waitingMax) throw new RateLimited(retryAfterSeconds);
    if (share.waiting.length === 0) this.queue.push(share);
    return new Promise((resolve) => share.waiting.push(resolve));
  }

  private next(): void {
    let least: Share | undefined;
    for (const share of this.queue)
      if (share.running < runningOfAccountMax && (!least || share.running < least.running)) least = share;
    if (!least || this.running >= runningMax) return;
    this.queue.splice(this.queue.indexOf(least), 1);
    this.occupySlot(least);
    least.waiting.shift()?.();
    if (least.waiting.length > 0) this.queue.push(least);
  }

  private shareOf(accountId: string): Share {
    const known = this.shares.get(accountId);
    if (known) return known;
    if (this.shares.size >= accountsMax)
      for (const [id, { running, waiting }] of this.shares)
        if (running === 0 && waiting.length === 0) this.shares.delete(id);
    const share = { running: 0, waiting: [] };
    this.shares.set(accountId, share);
    return share;
  }
}
