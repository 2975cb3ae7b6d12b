export interface Polling<Answer> {
  /** How often the answer is read again. @public */
  everyMs?: number;
  /** Whether an answer stays as it is, so that it is not read again regularly. */
  isFinal?: (answer: Answer) => boolean;
}

/** How often a query is read again that has this answer; false: not regularly. */
export const pollMs = <Answer>(
  answer: Answer | undefined,
  { everyMs = 0, isFinal = () => false }: Polling<Answer>,
): number | false => (everyMs === 0 || (answer !== undefined && isFinal(answer)) ? false : everyMs);
