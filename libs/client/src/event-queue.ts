import { EventEmitter } from 'node:events';

/** Items that arrived and have not been consumed yet. Emits `taken` when one is consumed. */
export class EventQueue<T> extends EventEmitter {
  private readonly items: T[] = [];
  private taker: { resolve: (result: IteratorResult<T>) => void; reject: (error: Error) => void } | undefined;
  private end: { error?: Error } | undefined;

  constructor(private readonly itemsMax: number) {
    super();
  }

  get isFull(): boolean {
    return this.items.length >= this.itemsMax;
  }

  get isHalfEmpty(): boolean {
    return this.items.length <= this.itemsMax / 2;
  }

  put(item: T): void {
    if (this.end) return;
    if (this.taker) {
      this.taker.resolve({ value: item, done: false });
      this.taker = undefined;
    } else this.items.push(item);
  }

  /** Drops the newest of the items that have not been consumed yet. */
  dropNewest(count: number): void {
    this.items.splice(Math.max(0, this.items.length - count));
  }

  /** Queued items can still be consumed; then the consumer gets the end. */
  close(error?: Error): void {
    if (this.end) return;
    this.end = error ? { error } : {};
    if (error) this.taker?.reject(error);
    else this.taker?.resolve({ value: undefined, done: true });
    this.taker = undefined;
  }

  next(): Promise<IteratorResult<T>> {
    const [item] = this.items.splice(0, 1);
    if (item !== undefined) {
      this.emit('taken');
      return Promise.resolve({ value: item, done: false });
    }
    if (this.end)
      return this.end.error ? Promise.reject(this.end.error) : Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => (this.taker = { resolve, reject }));
  }
}
