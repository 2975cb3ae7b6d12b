import type { DataSource } from 'typeorm';
import { QueryTimedOut, RateLimited } from '../errors/service-error.js';
import { statementMaxMs } from './open-database.js';

/** Connections of a pool that lists, pages of exports and the like may hold at a time, of all accounts and of one. The others stay free. */
const placesMax = 6;
const placesOfOneMax = 5;

/** Lists and the like of one account that may wait for a place. */
const waitingMax = 200;
const retryAfterSeconds = 1;

/** Beyond this, idle accounts are dropped. */
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

  /** `whose`: id of an account, also for lists of one of its keys. Rejects as `work` does, with QueryTimedOut when it took too long, and with RateLimited when too many wait. */
  async run<T>(whose: string, work: () => Promise<T>): Promise<T> {
    const share = this.shareOf(whose);
    if (this.running >= placesMax || share.running >= placesOfOneMax) await this.waitForPlace(share);
    else this.occupyPlace(share);
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

  private occupyPlace(share: Share): void {
    this.running++;
    share.running++;
  }

  private waitForPlace(share: Share): Promise<void> {
    if (share.waiting.length >= waitingMax) throw new RateLimited(retryAfterSeconds);
    if (share.waiting.length === 0) this.queue.push(share);
    return new Promise((resolve) => share.waiting.push(resolve));
  }

  private next(): void {
    let least: Share | undefined;
    for (const share of this.queue)
      if (share.running < placesOfOneMax && (!least || share.running < least.running)) least = share;
    if (!least || this.running >= placesMax) return;
    this.queue.splice(this.queue.indexOf(least), 1);
    this.occupyPlace(least);
    least.waiting.shift()?.();
    if (least.waiting.length > 0) this.queue.push(least);
  }

  private shareOf(whose: string): Share {
    const known = this.shares.get(whose);
    if (known) return known;
    if (this.shares.size >= accountsMax)
      for (const [id, { running, waiting }] of this.shares)
        if (running === 0 && waiting.length === 0) this.shares.delete(id);
    const share = { running: 0, waiting: [] };
    this.shares.set(whose, share);
    return share;
  }
}
