import type { AnswerWithValue, PendingSubscriber, ReportWithAnswer } from '../sessions/pending-subscriber.js';
import { type Outcome, outcomeOf } from './outcome.js';

/** A subscription command in progress: the first value that its key gets carries the answer. */
export class SubscriptionAnswer implements PendingSubscriber {
  readonly paths: readonly string[];
  readonly attributes: string | undefined;
  readonly isComposite: boolean;
  /**
   * Set when the first value is being sent, and cleared if Kafka rejects that value. Resolves with the outcome if the
   * value carried the answer.
   */
  private first: Promise<Outcome | undefined> | undefined;

  constructor(
    readonly keyId: string,
    {
      paths,
      attributes,
      isComposite = false,
    }: Pick<PendingSubscriber, 'paths'> & Partial<Pick<PendingSubscriber, 'attributes' | 'isComposite'>>,
    private readonly answerOf: (outcome: Outcome) => AnswerWithValue,
  ) {
    this.paths = paths;
    this.attributes = attributes;
    this.isComposite = isComposite;
  }

  get isReceiving(): boolean {
    return this.first !== undefined;
  }

  reportValue(...[value, report]: Parameters<PendingSubscriber['reportValue']>): Promise<void> {
    return this.reportOutcome(outcomeOf({ code: '2.05', ...value }), report);
  }

  /** A value that Kafka rejected does not count as an answer. */
  reportOutcome(outcome: Outcome, report: ReportWithAnswer): Promise<void> {
    if (this.first) return report(undefined);
    const answer = this.answerOf(outcome);
    const reported = report(answer);
    this.first = reported.then(
      () => (answer.isSent ? { ...outcome, isAnswered: true } : undefined),
      () => (this.first = undefined),
    );
    return reported;
  }

  /** The outcome that a value has carried to the key, if one has. */
  async answered(): Promise<Outcome | undefined> {
    return this.first;
  }
}
