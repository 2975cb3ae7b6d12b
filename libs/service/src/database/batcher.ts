/** Concurrent batches, and items per batch. */
const batchesMax = 2;
const itemsMax = 100;

/**
 * A batch occupies a slot for this long at most. A slower one does not keep the others waiting: they run beside it, limited only by
 * the connection pool.
 */
export const defaultSlotTimeoutMs = 1_000;

/** An item, and what its caller waits for. */
export interface Waiting<T, R> {
  item: T;
  resolve: (result: R) => void;
  reject: (error: unknown) => void;
}

/** Batches items that arrive at the same time, or while other batches are running. */
export class Batcher<T, R> {
  private readonly waiting: Waiting<T, R>[] = [];
  private inFlight = 0;
  private isDue = false;

  /** `run` never rejects: it settles each item. */
  constructor(
    private readonly run: (items: readonly Waiting<T, R>[]) => Promise<void>,
    private readonly slotTimeoutMs = defaultSlotTimeoutMs,
  ) {}

  add(item: T): Promise<R> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.sendSoon();
    });
  }

  private sendSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.send();
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.inFlight < batchesMax) {
      this.inFlight++;
      let hasSlot = true;
      const release = (): void => {
        clearTimeout(timer);
        if (!hasSlot) return;
        hasSlot = false;
        this.inFlight--;
        this.send();
      };
      const timer = setTimeout(release, this.slotTimeoutMs).unref();
      void this.run(this.waiting.splice(0, itemsMax)).then(release);
    }
  }
}
