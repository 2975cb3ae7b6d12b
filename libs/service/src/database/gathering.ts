/** Batches under way at a time, and items that one takes. */
const batchesMax = 2;
const itemsMax = 100;

/** A slow batch does not block others: they run beside it, limited by the connection pool. */
export const holdMsMax = 1_000;

/** Makes batches of items that come at the same moment, or while others are under way. */
export class Gathering<T> {
  private readonly waiting: T[] = [];
  private underWay = 0;
  private isDue = false;

  /** `run` never rejects: it tells those who wait for an item. */
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
