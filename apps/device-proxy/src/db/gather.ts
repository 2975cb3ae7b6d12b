interface Waiting<Asked, Answer> {
  asked: Asked;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/** Questions in one go: more make a statement no cheaper, and hold up those behind it. */
const togetherMax = 500;

/** One answer under way and one being made: more would only take connections from others. */
const atOnceMax = 2;

/**
 * One question for many: what is asked in the same turn of the event loop, or while answers are under way, goes into
 * the next one together. A burst costs rows, not round trips and transactions; who is alone waits for nobody.
 */
export class Gather<Asked, Answer> {
  private waiting: Waiting<Asked, Answer>[] = [];
  private underWay = 0;
  private scheduled = false;

  /** `ask` gives one answer for each question, in their order; when it rejects, all of them do. */
  constructor(private readonly ask: (asked: readonly Asked[]) => Promise<readonly Answer[]>) {}

  of(asked: Asked): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ asked, resolve, reject });
      this.schedule();
    });
  }

  private schedule(): void {
    if (this.scheduled || this.underWay >= atOnceMax || this.waiting.length === 0) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      void this.next();
    });
  }

  private async next(): Promise<void> {
    const batch = this.waiting.splice(0, togetherMax);
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
