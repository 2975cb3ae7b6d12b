/** Items that came and were not taken yet. Tells its source to pause while it holds many. */
export class EventQueue<T> {
  private readonly items: T[] = [];
  private taker: { resolve: (result: IteratorResult<T>) => void; reject: (error: Error) => void } | undefined;
  private end: { error?: Error } | undefined;

  constructor(
    private readonly itemsMax: number,
    private readonly onFull: (full: boolean) => void,
  ) {}

  put(item: T): void {
    if (this.end) return;
    if (this.taker) {
      this.taker.resolve({ value: item, done: false });
      this.taker = undefined;
    } else if (this.items.push(item) === this.itemsMax) this.onFull(true);
  }

  /** What is held can still be taken; then the taker learns of the end. */
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
      if (this.items.length === this.itemsMax - 1) this.onFull(false);
      return Promise.resolve({ value: item, done: false });
    }
    if (this.end)
      return this.end.error ? Promise.reject(this.end.error) : Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve, reject) => (this.taker = { resolve, reject }));
  }
}
