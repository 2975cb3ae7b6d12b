import { once } from 'node:events';
import type { Clock } from '@lanyard/service';

/** Something with an end: a response, a tunnel's socket. */
interface Ending {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/** What is under way at the door, so that a stop can wait for it. */
export class OpenCalls {
  private readonly open = new Set<Ending>();
  private closing = false;

  constructor(private readonly clock: Clock) {}

  /** Answers whether the process is stopping: the caller should not come again on this connection. */
  enter(call: Ending): boolean {
    this.open.add(call);
    call.once('close', () => void this.open.delete(call));
    return this.closing;
  }

  get size(): number {
    return this.open.size;
  }

  /** Waits until nothing is under way, at most `timeoutMs`; what is left then is cut. */
  async drain(timeoutMs: number): Promise<void> {
    this.closing = true;
    const timeout = new AbortController();
    const timer = this.clock.after(timeoutMs, () => timeout.abort());
    try {
      while (this.open.size > 0 && !timeout.signal.aborted) {
        const [call] = this.open;
        await once(call as unknown as NodeJS.EventEmitter, 'close', { signal: timeout.signal }).catch(() => undefined);
      }
    } finally {
      timer.cancel();
    }
    for (const call of this.open) call.destroy();
  }
}
