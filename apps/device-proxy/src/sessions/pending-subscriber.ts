import type { AsyncResponseItem } from '@lanyard/contracts';

/** Sent with the first value, so that nothing can come between them. */
export interface AnswerAhead {
  uid: string;
  keyId: string;
  item: AsyncResponseItem;
  isSent: boolean;
}

/** Announces a value, with the answer of the subscription if it is its first value. */
export type ReportWith = (answer: AnswerAhead | undefined) => Promise<void>;

/** A key whose subscription command is in progress; it joins the audience when the command has ended. */
export interface PendingSubscriber {
  readonly keyId: string;
  readonly paths: readonly string[];
  /** Of the observation, where it has some. */
  readonly attributes: string | undefined;
  /** It waits for one observation of several paths: what other observations report is not for it. */
  readonly isTogether: boolean;
  /** A value was sent to the key, or is being sent: it gets every later one. */
  readonly isReceiving: boolean;
  /** A value that the device notified meanwhile. Reported at once: values keep their order. */
  reportValue(
    value: { payload: Buffer; contentType: string; maxAgeSeconds?: number | undefined },
    report: ReportWith,
  ): Promise<void>;
}
