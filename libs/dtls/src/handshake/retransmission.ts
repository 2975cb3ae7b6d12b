import { type DtlsClock } from '../timing/clock.js';
import { type DtlsTimer, type DtlsTimers } from '../timing/timers.js';

/** RFC 6347 §4.2.4.1: doubles from the initial timeout up to the maximum. */
export interface RetransmissionTimes {
  initialMs: number;
  maxMs: number;
}

/** Repetitions of the peer that are answered with one, per flight: a duplicating network must not multiply traffic. */
const ANSWERED_REPETITIONS_MAX = 10;

/** Sends a flight again: by timer, and when the peer repeats the flight that this one answers. */
export class Retransmission {
  private timer: DtlsTimer | undefined;
  private flight: (() => void) | undefined;
  private timeoutMs = 0;
  private sentAtMs = 0;
  private answeredRepetitions = 0;

  constructor(
    private readonly clock: DtlsClock,
    private readonly timers: DtlsTimers,
    private readonly times: RetransmissionTimes,
    private readonly onRetransmission: () => void,
  ) {}

  /** @param byTimer False for the last flight of a handshake: only the peer's repetition shows that it was lost. */
  start(flight: () => void, byTimer: boolean): void {
    this.stop();
    this.flight = flight;
    this.timeoutMs = this.times.initialMs;
    this.answeredRepetitions = 0;
    this.send();
    if (byTimer) this.wait();
  }

  /** The peer repeated its last flight. Copies that arrive together count once. */
  peerRepeated(): void {
    if (this.flight === undefined || this.answeredRepetitions >= ANSWERED_REPETITIONS_MAX) return;
    if (this.clock.nowMs() - this.sentAtMs < this.times.initialMs / 4) return;
    this.answeredRepetitions += 1;
    this.onRetransmission();
    this.send();
  }

  /** The flight was answered, or the handshake ended. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.flight = undefined;
  }

  private send(): void {
    this.sentAtMs = this.clock.nowMs();
    this.flight?.();
  }

  private wait(): void {
    this.timer = this.timers.schedule(this.timeoutMs, () => {
      this.timeoutMs = Math.min(this.timeoutMs * 2, this.times.maxMs);
      this.onRetransmission();
      this.wait();
      this.send();
    });
  }
}
