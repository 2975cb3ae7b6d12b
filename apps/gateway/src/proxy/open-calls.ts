import { once } from 'node:events';
import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';

/** A response, or the socket of a WebSocket. */
interface Closable {
  once(event: 'close', listener: () => void): unknown;
  destroy(): unknown;
}

/**
 * Requests in progress, so that a stop can wait for them. Each has a place in a list: a Set through which calls
 * come and go keeps all of them, with their sockets and headers, until the next full collection.
 */
@Injectable()
export class OpenCalls {
  private readonly places: (Closable | undefined)[] = [];
  private readonly free: number[] = [];
  private closing = false;

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /**
   * Counts the call as open until it closes. Returns whether the process is stopping: the client should then not reuse
   * the connection.
   */
  track(call: Closable): boolean {
    const place = this.free.pop() ?? this.places.length;
    this.places[place] = call;
    call.once('close', () => {
      this.places[place] = undefined;
      this.free.push(place);
    });
    return this.closing;
  }

  get size(): number {
    return this.places.length - this.free.length;
  }

  /** Waits up to `timeoutMs` until no call is in progress, then cuts the rest. */
  async drain(timeoutMs: number): Promise<void> {
    this.closing = true;
    const timeout = new AbortController();
    const timer = this.clock.after(timeoutMs, () => timeout.abort());
    try {
      while (this.size > 0 && !timeout.signal.aborted) {
        const call = this.places.find((each) => each !== undefined);
        await once(call as unknown as NodeJS.EventEmitter, 'close', { signal: timeout.signal }).catch(() => undefined);
      }
    } finally {
      timer.cancel();
    }
    for (const call of this.places) call?.destroy();
  }
}
