import { isAboutData } from '@lanyard/kafka';

interface Waiting<Asked, Answer> {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface RequestBatcherOptions {
  /** Requests in one batch; default 500: larger statements are no cheaper, and delay the batches behind them. */
  batchMax?: number;
  /** Minimum time between the starts of two batches; default 0. A request after a longer gap is sent at once. */
  paceMs?: number;
}

/** Batches in flight at once: more would only take connections from other work. */
const atOnceMax = 2;

/**
 * Whether a single request caused the error: by its data, or by a constraint that its row violates (SQLSTATE class 23).
 * Either error undoes the whole batch, which would fail again if it were repeated.
 */
const isCausedByOne = (error: unknown): boolean =>
  isAboutData(error) || (error instanceof Error && /^23...$/.test(String((error as { code?: unknown }).code)));

/**
 * Batches requests: those submitted in the same turn of the event loop, or while batches are in flight, share the next batch.
 * A burst adds rows to a statement, not round trips and transactions; a single request is not delayed. The WriteBatcher
 * of @lanyard/service differs: each item that a batch could not write is then written alone, whatever the reason.
 */
export class RequestBatcher<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private inFlight = 0;
  private scheduled = false;
  private begunAtMs = -Infinity;
  private readonly batchMax: number;
  private readonly paceMs: number;

  /**
   * `ask` resolves to one answer per request, in the same order. If it rejects, every request of the batch rejects, unless the
   * data is the reason: then nothing was done, and `ask` is called again with parts of the batch.
   */
  constructor(
    private readonly ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>,
    { batchMax = 500, paceMs = 0 }: RequestBatcherOptions = {},
  ) {
    this.batchMax = batchMax;
    this.paceMs = paceMs;
  }

  submit(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.inFlight >= atOnceMax || this.waiting.length === 0) return;
    this.scheduled = true;
    const begin = (): void => {
      this.scheduled = false;
      void this.next();
    };
    const waitMs = this.begunAtMs + this.paceMs - performance.now();
    if (waitMs > 0) setTimeout(begin, waitMs);
    else setImmediate(begin);
  }

  private async next(): Promise<void> {
    const batch = this.waiting.splice(0, this.batchMax);
    this.begunAtMs = performance.now();
    this.inFlight++;
    this.schedule();
    try {
      await this.settle(batch);
    } finally {
      this.inFlight--;
      this.schedule();
    }
  }

  /** Never rejects. Splits a refused batch in halves, so that a request refused for its data fails without those of other devices. */
  private async settle(batch: readonly Waiting<Asked, Answer>[]): Promise<void> {
    try {
      const answers = await this.ask(batch.map(({ asked }) => asked));
      batch.forEach(({ resolve }, n) => resolve(answers[n] as Answer));
    } catch (error) {
      if (batch.length <= 1 || !isCausedByOne(error)) {
        for (const { reject } of batch) reject(error);
        return;
      }
      const middle = Math.ceil(batch.length / 2);
      await this.settle(batch.slice(0, middle));
      await this.settle(batch.slice(middle));
    }
  }
}
