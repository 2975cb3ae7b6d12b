import { Batcher, defaultSlotTimeoutMs, type Waiting } from './batcher.js';

/**
 * Reads of single rows by key. Those that arrive at the same time, or while others are running, are read in one
 * statement: to send one and to wake PostgreSQL takes longer than to read a row. What a caller gets was read after it
 * asked, so it sees what was committed before.
 */
export class ReadBatcher<V> {
  private readonly waiting: Batcher<string, V | undefined>;

  /** `read` returns what it finds, by key; when it rejects, so do all waiting callers. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    slotTimeoutMs = defaultSlotTimeoutMs,
  ) {
    this.waiting = new Batcher((waiting) => this.readAll(waiting), slotTimeoutMs);
  }

  /** undefined: there is none. */
  get(key: string): Promise<V | undefined> {
    return this.waiting.add(key);
  }

  private async readAll(waiting: readonly Waiting<string, V | undefined>[]): Promise<void> {
    try {
      const found = await this.read([...new Set(waiting.map(({ item }) => item))]);
      for (const { item, resolve } of waiting) resolve(found.get(item));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
