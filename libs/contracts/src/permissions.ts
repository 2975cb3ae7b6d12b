/** Permission of a key to have a notification channel. */
export const notificationsPermission = 'notifications';

/** Parts of `devices` that a group may give alone. */
const partsOfDevices = [
  'devices.read',
  'devices.write',
  'devices.suspend',
  'devices.credentials',
  'commands',
  'subscriptions',
  'snapshots.read',
  'events.read',
] as const;

/** What a group of keys may give. `admin` manages keys, groups and the account; `devices` includes all that follow it. */
export const grantablePermissions = ['admin', 'devices', notificationsPermission, ...partsOfDevices] as const;

export type GrantablePermission = (typeof grantablePermissions)[number];

/** `installation` manages all accounts. No group gives it: administrators of the installation's account have it. */
export type Permission = GrantablePermission | 'installation';

/** `devices` includes its parts. */
export const allows = (held: readonly string[], needed: Permission): boolean =>
  held.includes(needed) || (held.includes('devices') && (partsOfDevices as readonly string[]).includes(needed));
