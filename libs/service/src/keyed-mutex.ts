import { RateLimited } from './errors/service-error.js';

const retryAfterSeconds = 1;

interface WaitingLine {
  /** Waiting tasks, and the running one. */
  length: number;
  last: Promise<unknown>;
}

/** One task at a time for each key, first in, first out; tasks of other keys run concurrently. */
export class KeyedMutex {
  private readonly lines = new Map<string, WaitingLine>();

  /** Throws RateLimited when more than `waitingMax` would wait. */
  async run<T>(key: string, work: () => Promise<T>, waitingMax = Infinity): Promise<T> {
    const line = this.lines.get(key) ?? { length: 0, last: Promise.resolve() };
    if (line.length > waitingMax) throw new RateLimited(retryAfterSeconds);
    line.length++;
    this.lines.set(key, line);
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      if (--line.length === 0) this.lines.delete(key);
    }
  }
}
