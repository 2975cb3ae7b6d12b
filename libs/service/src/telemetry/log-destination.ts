import { writeSync } from 'node:fs';
import type { DestinationStream } from 'pino';

/** A write to a pipe whose reader is slow is attempted this many times. The pauses in between block the process. */
const attemptsMax = 10;
const pauseMs = 10;

const pause = (): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);

const isBusy = (error: unknown): boolean => /^(EAGAIN|EBUSY)$/.test(String((error as NodeJS.ErrnoException).code));

/**
 * Writes lines to a file descriptor at once, and never throws or waits for long in the code that logs: standard output
 * may be a file on a full disk, or a pipe without a reader. pino's own destination throws then, and `fatal` does not
 * return. Lines that cannot be written are counted; one that was written in part is completed later.
 */
export class LogDestination implements DestinationStream {
  private rest = Buffer.alloc(0);
  private missing = 0;

  /** @param onMissing called once lines can be written again, with how many are missing */
  constructor(
    private readonly fd: number,
    private readonly onMissing: (lines: number) => void,
  ) {}

  write(line: string): void {
    const before = this.rest.length;
    const bytes = before > 0 ? Buffer.concat([this.rest, Buffer.from(line)]) : Buffer.from(line);
    const written = this.writeBytes(bytes);
    const isBegun = written > before;
    this.rest = isBegun ? bytes.subarray(written) : this.rest.subarray(written);
    if (!isBegun) this.missing++;
    else if (this.missing > 0 && written === bytes.length) this.report();
  }

  private report(): void {
    const lines = this.missing;
    this.missing = 0;
    // Not called from within the call that logs something else.
    queueMicrotask(() => this.onMissing(lines));
  }

  private writeBytes(bytes: Buffer): number {
    let written = 0;
    for (let attempt = 1; written < bytes.length && attempt <= attemptsMax;)
      try {
        written += writeSync(this.fd, bytes, written);
      } catch (error) {
        if (!isBusy(error)) break;
        attempt++;
        pause();
      }
    return written;
  }
}
