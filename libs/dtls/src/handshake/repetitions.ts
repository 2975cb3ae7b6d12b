/** Answers per flight: a duplicating network must not multiply traffic. */
const ANSWERS_MAX = 10;

/** Decides whether a flight is sent again because the peer repeats its previous flight. Copies that arrive together count once. */
export class Repetitions {
  private answers = 0;

  constructor(
    /** When the flight was sent last. */
    private sentAtMs: number,
    private readonly retransmissionMs: number,
  ) {}

  /** To be called when the timer has sent the flight again. */
  sent(nowMs: number): void {
    this.sentAtMs = nowMs;
  }

  /** Called for each repetition of the peer; true means that the flight is to be sent again now, and counts as sent. */
  shouldRepeat(nowMs: number): boolean {
    if (this.answers >= ANSWERS_MAX || nowMs - this.sentAtMs < this.retransmissionMs / 4) return false;
    this.answers += 1;
    this.sentAtMs = nowMs;
    return true;
  }
}
