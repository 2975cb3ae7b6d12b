import { ACK_RANDOM_FACTOR, ACK_TIMEOUT_MS, MAX_RETRANSMIT } from '../timing/transmission-parameters.js';
import { type Timer, type TimerWheel } from '../timing/timer-wheel.js';

export type TransmissionOutcome = 'acknowledged' | 'reset' | 'timed-out';

export interface TransmissionParameters {
  ackTimeoutMs?: number | undefined;
  maxRetransmit?: number | undefined;
}

/** The parts of the endpoint that a transmission needs. */
export interface TransmissionHost {
  readonly timers: TimerWheel;
  readonly random: () => number;
  /** Sends the bytes; called once more for each retransmission. */
  send(bytes: Buffer, isRetransmission: boolean): void;
  /** Called at the end, before `settled`, whatever the outcome. */
  release(transmission: Transmission): void;
}

/** A confirmable message in flight: retransmitted with exponential back-off until it is stopped (RFC 7252 §4.2). */
export class Transmission {
  private timer: Timer | undefined;
  private waitMs: number;
  private retransmissionsLeft: number;
  private over = false;
  private repeated = false;

  constructor(
    readonly messageId: number,
    private readonly bytes: Buffer,
    parameters: TransmissionParameters,
    private readonly host: TransmissionHost,
    private readonly settled: (outcome: TransmissionOutcome) => void,
  ) {
    const spread = 1 + host.random() * (ACK_RANDOM_FACTOR - 1);
    this.waitMs = (parameters.ackTimeoutMs ?? ACK_TIMEOUT_MS) * spread;
    this.retransmissionsLeft = parameters.maxRetransmit ?? MAX_RETRANSMIT;
  }

  /** Whether more than one copy was sent. */
  get isRepeated(): boolean {
    return this.repeated;
  }

  start(): void {
    this.host.send(this.bytes, false);
    this.arm();
  }

  /** Called when the peer reacted. */
  settleWith(outcome: TransmissionOutcome): void {
    if (this.over) return;
    this.stop();
    this.settled(outcome);
  }

  /** Cancels the message: no further retransmission, no outcome. */
  stop(): void {
    if (this.over) return;
    this.over = true;
    this.timer?.cancel();
    this.host.release(this);
  }

  private arm(): void {
    this.timer = this.host.timers.schedule(this.waitMs, () => this.expire());
  }

  private expire(): void {
    if (this.retransmissionsLeft === 0) {
      this.settleWith('timed-out');
      return;
    }
    this.retransmissionsLeft -= 1;
    this.waitMs *= 2;
    this.repeated = true;
    this.host.send(this.bytes, true);
    this.arm();
  }
}
