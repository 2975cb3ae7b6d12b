import type { DeviceEvent } from '@lanyard/client/browser';

/** Of requests that a key may not make. Of one that was refused, the key is only claimed. */
const denied = 'SYS_411';

/** Who acted: a key, an application or a person, and the address from which a request was refused or denied. */
export const whoOf = (
  nameOf: (id: string) => string,
  { event_code: code, data }: Pick<DeviceEvent, 'event_code' | 'data'>,
): string => {
  const key = data['actor_key_id'] ?? data['key_id'] ?? (code === denied ? data['target_id'] : undefined);
  return [key && nameOf(key), data['address']].filter(Boolean).join(', ');
};
