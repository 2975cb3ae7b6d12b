import { Readable } from 'node:stream';
import type { Clock, Timer } from '@lanyard/service';
import { answerStallMaxMs } from '../limits.js';

export const sliceBytes = 64 * 1024;

/**
 * An answer piece by piece, of which one is made when the connection has room for it. How soon that is told depends on the
 * kernel: a full buffer may have to become free by a third, a megabyte or so.
 */
export class BodySlices {
  private stalling: Timer | undefined;

  /** `onStalled`: no piece was taken for too long. */
  constructor(
    private readonly body: Buffer,
    private readonly clock: Clock,
    private readonly onStalled: () => void,
  ) {}

  stream(): Readable {
    return Readable.from(this.each(), { objectMode: false });
  }

  /** All of it is written, or nobody reads it any more. */
  end(): void {
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
