import { Readable } from 'node:stream';
import type { Clock, Timer } from '@lanyard/service';
import { answerStallMaxMs } from '../limits.js';

export const sliceBytes = 64 * 1024;

/**
 * A response body in slices, each produced when the connection has room for it. How soon the room is signalled depends on the
 * kernel: it may require that a third of a full buffer, about a megabyte, is free.
 */
export class BodySlices {
  private stalling: Timer | undefined;

  /** `onStalled`: no slice was read for too long. */
  constructor(
    private readonly body: Buffer,
    private readonly clock: Clock,
    private readonly onStalled: () => void,
  ) {}

  stream(): Readable {
    return Readable.from(this.each(), { objectMode: false });
  }

  /** The body is written, or the client is gone. */
  stop(): void {
    this.stalling?.cancel();
  }

  private *each(): Generator<Buffer> {
    for (let at = 0; at < this.body.length; at += sliceBytes) {
      this.stalling?.cancel();
      this.stalling = this.clock.after(answerStallMaxMs, this.onStalled);
      yield this.body.subarray(at, at + sliceBytes);
    }
  }
}
