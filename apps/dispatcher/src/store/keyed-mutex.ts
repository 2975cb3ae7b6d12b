import { RateLimited } from '@lanyard/service';

const retryAfterSeconds = 1;

interface WaitingLine {
  /** Those who wait, and the one whose turn it is. */
  length: number;
  last: Promise<unknown>;
}

/** Whoever waits for the lock of a key waits here: a connection to PostgreSQL is held by one of them only. */
export class KeyedMutex {
  private readonly lines = new Map<string, WaitingLine>();

  /** Throws RateLimited when more than `waitingMax` would wait. */
  async run<T>(keyId: string, work: () => Promise<T>, waitingMax = Infinity): Promise<T> {
    const line = this.lines.get(keyId) ?? { length: 0, last: Promise.resolve() };
    if (line.length > waitingMax) throw new RateLimited(retryAfterSeconds);
    line.length++;
    this.lines.set(keyId, line);
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      if (--line.length === 0) this.lines.delete(keyId);
    }
  }
}
