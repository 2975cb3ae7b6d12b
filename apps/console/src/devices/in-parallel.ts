interface Running {
  /** How many items at a time. */
  parallel: number;
  /** No work on another item begins afterwards. */
  signal: AbortSignal;
}

/**
 * Works on the items, several at a time. Ends only when the work that has begun has ended, also after a failure: until then,
 * it is not known how much was done.
 */
export const inParallel = async <T>(
  items: AsyncGenerator<T>,
  work: (item: T) => Promise<void>,
  { parallel, signal }: Running,
): Promise<void> => {
  const worker = async (): Promise<void> => {
    for await (const item of items) {
      if (signal.aborted) return;
      await work(item);
    }
  };
  const outcomes = await Promise.allSettled(Array.from({ length: parallel }, worker));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
};
