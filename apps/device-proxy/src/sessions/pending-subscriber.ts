import type { AsyncResponseItem } from '@lanyard/contracts';

/** The answer of a subscription, sent with the first value, so that nothing can come between the two. */
export interface AnswerWithValue {
  uid: string;
  keyId: string;
  item: AsyncResponseItem;
  isSent: boolean;
}

/** Announces a value, with the answer of the subscription if it is its first value. */
export type ReportWithAnswer = (answer: AnswerWithValue | undefined) => Promise<void>;

/** A key whose subscription command is in progress; it joins the audience when the command has ended. */
export interface PendingSubscriber {
  readonly keyId: string;
  readonly paths: readonly string[];
  /** Attributes of the observation, if it has any. */
  readonly attributes: string | undefined;
  /** The key waits for one composite observation: values of other observations are not for it. */
  readonly isComposite: boolean;
  /** A value was sent to the key, or is being sent: the key gets every later value. */
  readonly isReceiving: boolean;
  /** Reports a value that the device notified while the command is in progress. Reported at once: values keep their order. */
  reportValue(
    value: { payload: Buffer; contentType: string; maxAgeSeconds?: number | undefined },
    report: ReportWithAnswer,
  ): Promise<void>;
}
