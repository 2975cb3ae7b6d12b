export interface Choice {
  value: string;
  label: string;
}

/** What an input offers, from a list that is read. */
export interface Choices {
  /** Properties of the input. It says so if it has nothing to offer because the list cannot be read. */
  input: { data: Choice[]; error: string | undefined };
  /** The list is empty. That is not known while it is being read, or if that failed. */
  areNone: boolean;
}

/** The result of `useRead` for an operation that lists. */
interface ListAnswer<R> {
  data: { data: readonly R[] } | undefined;
  error: unknown;
  isFetching: boolean;
}

/** Choices among the records of a list. */
export const choicesOf = <R>(
  { data: list, error, isFetching }: ListAnswer<R>,
  choiceOf: (record: R) => Choice,
): Choices => {
  const data = list?.data.map(choiceOf) ?? [];
  const hasFailed = error !== null;
  return {
    input: { data, error: hasFailed && data.length === 0 ? 'The choices cannot be read at the moment.' : undefined },
    areNone: list?.data.length === 0 && !hasFailed && !isFetching,
  };
};
