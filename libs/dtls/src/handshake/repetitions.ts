/** Answers per flight: a duplicating network must not multiply traffic. */
const ANSWERS_MAX = 10;

/** Whether a flight is sent again because the peer repeats the one before it. Copies that arrive together count once. */
export class Repetitions {
  private answers = 0;

  constructor(
    /** The flight was sent. */
    private sentAtMs: number,
    private readonly retransmissionMs: number,
  ) {}

  /** It was sent again by timer. */
  sent(nowMs: number): void {
    this.sentAtMs = nowMs;
  }

  /** Asked for each repetition; true means that the answer is sent now. */
  isAnswered(nowMs: number): boolean {
    if (this.answers >= ANSWERS_MAX || nowMs - this.sentAtMs < this.retransmissionMs / 4) return false;
    this.answers += 1;
    this.sentAtMs = nowMs;
    return true;
  }
}
