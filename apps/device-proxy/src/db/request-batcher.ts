interface Waiting<Asked, Answer> {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

export interface RequestBatcherOptions {
  /** Questions in one go; default 500: more make a statement no cheaper, and hold up those behind it. */
  batchMax?: number;
  /** A round begins at least so long after the one before; default 0. Who comes after a pause waits for nobody. */
  paceMs?: number;
}

/** One answer under way and one being made: more would only take connections from others. */
const atOnceMax = 2;

/**
 * One question for many: what is asked in the same turn of the event loop, or while answers are under way, goes into
 * the next one together. A burst costs rows, not round trips and transactions; who is alone waits for nobody.
 */
export class RequestBatcher<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private underWay = 0;
  private scheduled = false;
  private begunAtMs = -Infinity;
  private readonly batchMax: number;
  private readonly paceMs: number;

  /** `ask` gives one answer for each question, in their order; when it rejects, all of them do. */
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
    if (this.scheduled || this.underWay >= atOnceMax || this.waiting.length === 0) return;
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
    this.underWay++;
    this.schedule();
    try {
      const answers = await this.ask(batch.map(({ asked }) => asked));
      batch.forEach(({ resolve }, n) => resolve(answers[n] as Answer));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      this.underWay--;
      this.schedule();
    }
  }
}
