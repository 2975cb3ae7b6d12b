import type { DeviceEvent } from '@lanyard/client/browser';

/**
 * Codes of devices that were created, suspended, resumed or deleted, of refused and denied requests, and of all other actions of
 * operators.
 */
export const isAudited = (code: string): boolean => /^SYS_(20|41|5\d)\d$/.test(code);

/**
 * The code of a request that its key may not make: `target_id` is the key. In the event of a refused request, it is not
 * used, because the sender only claims to have that key.
 */
const denied = 'SYS_411';

/** Who acted: a key, an application or a person, and the address from which a request was refused or denied. */
export const whoOf = (
  nameOf: (id: string) => string,
  { event_code: code, data }: Pick<DeviceEvent, 'event_code' | 'data'>,
): string => {
  const key = data['actor_key_id'] ?? data['key_id'] ?? (code === denied ? data['target_id'] : undefined);
  return [key && nameOf(key), data['address']].filter(Boolean).join(', ');
};
