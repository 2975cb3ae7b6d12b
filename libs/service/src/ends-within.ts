/**
 * Whether the work ended within `ms`. Rejects if the work rejects within that time. Work that takes longer continues,
 * and its result or error is ignored.
 */
export const endsWithin = async (ms: number, work: Promise<unknown>): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<boolean>((resolve) => (timer = setTimeout(() => resolve(false), ms)));
  work.catch(() => undefined);
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    clearTimeout(timer);
  }
};
