import { KeyedCounts } from '@lanyard/service';
import { PackageUnavailable } from './package-errors.js';
import { fetchesAtOnce, fetchesOfAccountMax, fetchesWaitingMax } from './limits.js';

/** Limits the requests to campaigns that run or wait, in all and of one account, so that no account fills the queue. */
export class FetchQueue {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private readonly ofAccounts = new KeyedCounts();

  /** Number of requests that run or wait. */
  get size(): number {
    return this.running + this.waiting.length;
  }

  /** Throws PackageUnavailable when too many requests wait, or when the account has too many that run or wait. */
  async run<T>(accountId: string, fetch: () => Promise<T>): Promise<T> {
    if (this.waiting.length >= fetchesWaitingMax || this.ofAccounts.get(accountId) >= fetchesOfAccountMax)
      throw new PackageUnavailable('too many parts of packages are being fetched');
    this.ofAccounts.increment(accountId);
    try {
      if (this.running < fetchesAtOnce) this.running++;
      else await new Promise<void>((resolve) => this.waiting.push(resolve));
      try {
        return await fetch();
      } finally {
        // A request that ends hands its place over.
        const next = this.waiting.shift();
        if (next) next();
        else this.running--;
      }
    } finally {
      this.ofAccounts.decrement(accountId);
    }
  }
}
