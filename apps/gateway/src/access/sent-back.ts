import type { ApiKeyRecord } from './api-key-record.js';

/** Times of use: they are not what they were when the caller read them, although the record was not changed. */
export const timesOfUse = ['last_used_at', 'last_login_time'] as const;

/** The answer to a creation shows the key in full, every other one without its secret: both are the present value. */
export const withoutSecret = (
  unchanged: Record<string, unknown>,
  { key }: Pick<ApiKeyRecord, 'key'>,
): Record<string, unknown> =>
  typeof unchanged['key'] === 'string' && unchanged['key'].startsWith(key) ? { ...unchanged, key } : unchanged;
