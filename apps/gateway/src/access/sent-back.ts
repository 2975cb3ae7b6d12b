import type { ApiKeyRecord } from './api-key-record.js';

/** Times of use, which may differ from what the caller read although the record was not changed. */
export const timesOfUse = ['last_used_at', 'last_login_time'] as const;

/** The response to a creation contains the full key, every other one omits the secret: both equal the stored value. */
export const withoutSecret = (
  unchanged: Record<string, unknown>,
  { key }: Pick<ApiKeyRecord, 'key'>,
): Record<string, unknown> =>
  typeof unchanged['key'] === 'string' && unchanged['key'].startsWith(key) ? { ...unchanged, key } : unchanged;
