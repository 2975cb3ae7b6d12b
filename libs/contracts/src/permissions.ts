/** Permission of a key to have a notification channel. */
export const notificationsPermission = 'notifications';

/** Parts of `devices` that a group may grant separately. */
const partsOfDevices = [
  'devices.read',
  'devices.write',
  'devices.suspend',
  'devices.credentials',
  'commands',
  'subscriptions',
  'snapshots.read',
  'events.read',
  'campaigns',
] as const;

/** Permissions that a group of keys may grant. `admin` manages keys, groups and the account; `devices` includes its parts. */
export const grantablePermissions = ['admin', 'devices', notificationsPermission, ...partsOfDevices] as const;

export type GrantablePermission = (typeof grantablePermissions)[number];

/** `installation` manages all accounts. No group grants it: administrators of the installation's account have it. */
export type Permission = GrantablePermission | 'installation';

/** `devices` includes its parts. */
export const allows = (held: readonly string[], needed: Permission): boolean =>
  held.includes(needed) || (held.includes('devices') && (partsOfDevices as readonly string[]).includes(needed));
