import { type DtlsClock } from '../timing/clock.js';
import { type DtlsTimer, type DtlsTimers } from '../timing/timers.js';
import { Repetitions } from './repetitions.js';

/** RFC 6347 §4.2.4.1: doubles from the initial timeout up to the maximum. */
export interface RetransmissionTimes {
  initialMs: number;
  maxMs: number;
}

/** A flight is abandoned after a minute (RFC 7925 §11: 63 s for timers of 1 s and of 9 s alike), but not before its third transmission. */
const FLIGHT_MS_MIN = 60_000;
const TRANSMISSIONS_MIN = 3;

/** How long a flight may wait for its answer, including the wait after its last transmission. */
export function flightMs({ initialMs, maxMs }: RetransmissionTimes): number {
  let [waitMs, totalMs] = [initialMs, 0];
  for (let sent = 0; sent < TRANSMISSIONS_MIN || totalMs < FLIGHT_MS_MIN; sent += 1) {
    totalMs += waitMs;
    waitMs = Math.min(waitMs * 2, maxMs);
  }
  return totalMs;
}

/** Retransmits a flight: by timer, and when the peer repeats the flight that this one answers. */
export class Retransmission {
  private timer: DtlsTimer | undefined;
  private flight: (() => void) | undefined;
  private repetitions: Repetitions | undefined;
  private timeoutMs = 0;

  constructor(
    private readonly clock: DtlsClock,
    private readonly timers: DtlsTimers,
    private times: RetransmissionTimes,
    private readonly onRetransmission: () => void,
  ) {}

  /** Applies to flights from now on. */
  useTimes(times: RetransmissionTimes): void {
    this.times = times;
  }

  start(flight: () => void): void {
    this.stop();
    this.flight = flight;
    this.timeoutMs = this.times.initialMs;
    this.repetitions = this.repetitionsFromNow();
    flight();
    this.wait();
  }

  /** For a flight that is sent now. */
  repetitionsFromNow(): Repetitions {
    return new Repetitions(this.clock.nowMs(), this.times.initialMs);
  }

  peerRepeated(): void {
    if (this.flight === undefined || !this.repetitions!.shouldRepeat(this.clock.nowMs())) return;
    this.onRetransmission();
    this.flight();
  }

  /** To be called when the flight was answered, or the handshake ended. */
  stop(): void {
    this.timer?.cancel();
    this.timer = undefined;
    this.flight = undefined;
  }

  private wait(): void {
    this.timer = this.timers.schedule(this.timeoutMs, () => {
      this.timeoutMs = Math.min(this.timeoutMs * 2, this.times.maxMs);
      this.onRetransmission();
      this.wait();
      this.repetitions?.sent(this.clock.nowMs());
      this.flight?.();
    });
  }
}
