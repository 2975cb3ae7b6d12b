/** Concurrent batches, and items per batch. */
const batchesMax = 2;
const itemsMax = 100;

/** A slow batch does not block others: they run beside it, limited by the connection pool. */
export const holdMsMax = 1_000;

/** Batches items that arrive at the same time, or while other batches are running. */
export class Gathering<T> {
  private readonly waiting: T[] = [];
  private underWay = 0;
  private isDue = false;

  /** `run` never rejects: it settles the promise of each item. */
  constructor(
    private readonly run: (items: readonly T[]) => Promise<void>,
    private readonly holdMs = holdMsMax,
  ) {}

  add(item: T): void {
    this.waiting.push(item);
    if (this.isDue) return;
    this.isDue = true;
    setImmediate(() => {
      this.isDue = false;
      this.send();
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.underWay < batchesMax) {
      this.underWay++;
      let isHeld = true;
      const release = (): void => {
        clearTimeout(timer);
        if (!isHeld) return;
        isHeld = false;
        this.underWay--;
        this.send();
      };
      const timer = setTimeout(release, this.holdMs).unref();
      void this.run(this.waiting.splice(0, itemsMax)).then(release);
    }
  }
}
