/** Statements under way at a time, and keys that one takes. */
const statementsMax = 2;
const keysMax = 100;

/** A statement that takes longer holds up nobody: others go out beside it, and the pool says when there are too many. */
const holdMsMax = 1_000;

interface Waiting<V> {
  key: string;
  resolve: (value: V | undefined) => void;
  reject: (error: unknown) => void;
}

/**
 * Reads of single rows by key. Those that come at the same moment, or while others are under way, are read in one
 * statement: to send one and to wake PostgreSQL takes longer than to read a row. What a caller gets was read after it
 * asked, so it sees what was committed before.
 */
export class GatheredReads<V> {
  private readonly waiting: Waiting<V>[] = [];
  private underWay = 0;
  private isDue = false;

  /** `read` gives what it finds, by key; when it rejects, all who wait for it hear of that. */
  constructor(
    private readonly read: (keys: readonly string[]) => Promise<ReadonlyMap<string, V>>,
    private readonly holdMs = holdMsMax,
  ) {}

  /** undefined: there is none. */
  get(key: string): Promise<V | undefined> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ key, resolve, reject });
      if (this.isDue) return;
      this.isDue = true;
      setImmediate(() => {
        this.isDue = false;
        this.send();
      });
    });
  }

  private send(): void {
    while (this.waiting.length > 0 && this.underWay < statementsMax) {
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
      void this.readAll(this.waiting.splice(0, keysMax)).then(release);
    }
  }

  /** Never rejects. */
  private async readAll(waiting: readonly Waiting<V>[]): Promise<void> {
    try {
      const found = await this.read([...new Set(waiting.map(({ key }) => key))]);
      for (const { key, resolve } of waiting) resolve(found.get(key));
    } catch (error) {
      for (const { reject } of waiting) reject(error);
    }
  }
}
