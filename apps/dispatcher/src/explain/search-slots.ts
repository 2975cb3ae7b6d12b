import { SearchRunning, TooManySearches } from '../errors.js';

/** Searches that a replica runs at a time. Each reads a part of Kafka's topics. */
const searchesMax = 2;

/** Slots for searches, one for each account: a search for an event that does not exist may use all the time allowed. */
export class SearchSlots {
  private readonly accounts = new Set<string>();

  /** Throws SearchRunning while the account has a slot, and TooManySearches when there is none. */
  async run<T>(accountId: string, search: () => Promise<T>): Promise<T> {
    if (this.accounts.has(accountId)) throw new SearchRunning();
    if (this.accounts.size >= searchesMax) throw new TooManySearches();
    this.accounts.add(accountId);
    try {
      return await search();
    } finally {
      this.accounts.delete(accountId);
    }
  }
}
