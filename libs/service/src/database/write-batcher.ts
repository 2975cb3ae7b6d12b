import { Batcher, defaultSlotTimeoutMs, type Waiting } from './batcher.js';

/**
 * Writes that arrive at the same time, or while others are running, share a transaction: committing one takes as long as
 * many. Each has an outcome of its own: a write that cannot be done together with the others is done alone. For writes that may
 * be repeated, as a commit whose answer is lost may have happened. The RequestBatcher of the device-proxy differs: a batch
 * that fails is tried in parts only if its data is the reason, and it can keep a minimum time between batches.
 */
export class WriteBatcher<T> {
  private readonly waiting: Batcher<T, void>;

  /**
   * `together` returns the items that it wrote. It skips locked rows, which would hold up the others. The rest, and all of them
   * when it rejects, are left to `alone`, which rejects with the reason.
   */
  constructor(
    private readonly together: (items: readonly T[]) => Promise<ReadonlySet<T>>,
    private readonly alone: (item: T) => Promise<void>,
    slotTimeoutMs = defaultSlotTimeoutMs,
  ) {
    this.waiting = new Batcher((waiting) => this.writeAll(waiting), slotTimeoutMs);
  }

  write(item: T): Promise<void> {
    return this.waiting.add(item);
  }

  private async writeAll(waiting: readonly Waiting<T, void>[]): Promise<void> {
    const done = await this.tryTogether(waiting);
    for (const { item, resolve, reject } of waiting)
      if (done.has(item)) resolve();
      else this.alone(item).then(resolve, reject);
  }

  private async tryTogether(waiting: readonly Waiting<T, void>[]): Promise<ReadonlySet<T>> {
    if (waiting.length === 1) return new Set();
    try {
      return await this.together(waiting.map(({ item }) => item));
    } catch {
      // Each one fails again on its own, with its reason.
      return new Set();
    }
  }
}

/**
 * `write`, but calls that arrive at the same time, or while others are running, share one: what a fetch brings from many
 * partitions is one statement and one commit. When it rejects, each call is made alone. A call without rows does nothing.
 */
export const sharedWrite = <R>(
  write: (rows: readonly R[]) => Promise<void>,
): ((rows: readonly R[]) => Promise<void>) => {
  const writes = new WriteBatcher<readonly R[]>(async (parts) => {
    await write(parts.flat());
    return new Set(parts);
  }, write);
  return async (rows) => {
    if (rows.length > 0) await writes.write(rows);
  };
};
