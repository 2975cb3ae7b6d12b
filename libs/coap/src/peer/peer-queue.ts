import { type CoapError, QueueFull } from '../errors.js';

interface Waiting {
  begin(): void;
  abandon(error: CoapError): void;
}

/**
 * NSTART = 1 (RFC 7252 §4.7): one interaction with a peer at a time, while the others wait in order. An interaction is a whole
 * request with its response and all its blocks, because constrained devices are not built for more at once. The remaining blocks
 * of a notification have a separate queue: the peer waits for its acknowledgement, which must not depend on the duration of a
 * command. That is one small additional message, in answer to one that has just arrived.
 */
export class PeerQueue {
  private running = false;
  private waiting: Waiting[] | undefined;
  private completions: PeerQueue | undefined;

  get busy(): boolean {
    return this.running || this.completions?.busy === true;
  }

  get length(): number {
    return (this.waiting?.length ?? 0) + (this.completions?.length ?? 0);
  }

  /** Fetches the remaining blocks of a notification beside any running job, one notification at a time. */
  complete<T>(job: () => Promise<T>, waitingMax: number): Promise<T> {
    return (this.completions ??= new PeerQueue()).run(job, waitingMax);
  }

  /** Runs the job now or when its turn comes. @throws QueueFull (as a rejection) when too many already wait */
  run<T>(job: () => Promise<T>, waitingMax: number): Promise<T> {
    if (!this.running) return this.occupy(job);
    if ((this.waiting?.length ?? 0) >= waitingMax)
      return Promise.reject(new QueueFull('Too many requests are waiting for this peer'));
    return new Promise<T>((resolve, reject) => {
      (this.waiting ??= []).push({ begin: () => this.occupy(job).then(resolve, reject), abandon: reject });
    });
  }

  /** Rejects jobs that have not begun. */
  abandon(error: CoapError): void {
    this.completions?.abandon(error);
    const waiting = this.waiting ?? [];
    this.waiting = undefined;
    for (const one of waiting) one.abandon(error);
  }

  private async occupy<T>(job: () => Promise<T>): Promise<T> {
    this.running = true;
    try {
      return await job();
    } finally {
      this.running = false;
      const next = this.waiting?.shift();
      if (this.waiting?.length === 0) this.waiting = undefined;
      next?.begin();
    }
  }
}
