/** Times of use, which may differ from what the caller read although the record was not changed. */
export const timesOfUse = ['last_used_at', 'last_login_time'] as const;

/** The response to a creation contains the full key, every other one omits the secret: both may be sent back. */
export const withSentKey = <R extends { key: string }>(record: R, body: object): R => {
  const { key } = body as { key?: unknown };
  return typeof key === 'string' && key.startsWith(record.key) ? { ...record, key } : record;
};
