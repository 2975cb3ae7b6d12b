import { REPLAY_WINDOW_RECORDS } from '../limits.js';

/** Which of the newest 64 sequence numbers have been received (RFC 6347 §4.1.2.6). */
export class ReplayWindow {
  /** Bit n: `newest - n` was received; the second word continues the first. */
  private bits: number;
  private olderBits: number;

  /** @param newest The highest sequence number received before; this number and all below count as received. */
  constructor(public newest = -1) {
    this.bits = this.olderBits = newest < 0 ? 0 : -1;
  }

  /** Whether a record may still be new. Only an authentic record may be marked. */
  isFresh(sequence: number): boolean {
    const age = this.newest - sequence;
    if (age < 0) return true;
    if (age >= REPLAY_WINDOW_RECORDS) return false;
    const word = age < 32 ? this.bits : this.olderBits;
    return ((word >>> (age & 31)) & 1) === 0;
  }

  /** Marks a fresh sequence number as received. @returns Whether it is the newest. */
  mark(sequence: number): boolean {
    const steps = sequence - this.newest;
    if (steps > 0) {
      this.advance(steps);
      this.newest = sequence;
      return true;
    }
    if (steps > -32) this.bits |= 1 << -steps;
    else this.olderBits |= 1 << (-steps & 31);
    return false;
  }

  private advance(steps: number): void {
    if (steps >= 64) this.olderBits = 0;
    else if (steps >= 32) this.olderBits = this.bits << (steps - 32);
    else this.olderBits = (this.olderBits << steps) | (this.bits >>> (32 - steps));
    this.bits = steps >= 32 ? 1 : (this.bits << steps) | 1;
  }
}
