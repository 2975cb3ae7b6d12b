import type { AsyncResponseItem } from '@lanyard/contracts';

/** It goes with the first value that is told, so that nothing can come between them. */
export interface AnswerAhead {
  uid: string;
  keyId: string;
  item: AsyncResponseItem;
  isTold: boolean;
}

/** Announces a value, with the answer of the subscription whose first value it is. */
export type ReportWith = (answer: AnswerAhead | undefined) => Promise<void>;

/** A key whose subscription command is being carried out: it is not in the audience before the command has ended. */
export interface Joining {
  readonly keyId: string;
  readonly paths: readonly string[];
  /** A value has gone to the key, or is on its way: it gets every later one. */
  readonly isTelling: boolean;
  /** A value that the device notified meanwhile. Reported at once: values keep their order. */
  reportValue(
    value: { payload: Buffer; contentType: string; maxAgeSeconds?: number | undefined },
    report: ReportWith,
  ): Promise<void>;
}
