import {
  type DeviceScope,
  type GrantablePermission,
  grantablePermissions,
  narrowest,
  notificationsPermission,
} from '@lanyard/contracts';

export { allows } from '@lanyard/contracts';

/** Manage keys, groups and the account. */
export const admin = 'admin';
/** Devices, commands, subscriptions, snapshots and the event log. */
export const devices = 'devices';
/** The key's own notification channel. */
export const notifications = notificationsPermission;
/** Manage all accounts. No group grants it: administrators of the installation's account have it. */
export const installation = 'installation';

export const grantable = grantablePermissions;

export type Permission = GrantablePermission;

/** `administrators` and `developers` exist once per account; administrators create `custom` groups. */
export type GroupKind = 'administrators' | 'developers' | 'custom';

const ofKind: Record<GroupKind, readonly Permission[]> = {
  administrators: [admin, devices, notifications],
  developers: [devices, notifications],
  custom: [devices, notifications],
};

/** What determines the rights that a group gives its members. */
export interface Granting {
  kind: GroupKind;
  /** null: the permissions of the kind. */
  permissions: readonly Permission[] | null;
  /** Ids of the device groups that its members are limited to; null: all devices. */
  deviceGroups: readonly string[] | null;
}

export const permissionsOfGroup = ({ kind, permissions }: Granting): readonly Permission[] =>
  permissions ?? ofKind[kind];

export interface Rights {
  permissions: Permission[];
  /** undefined: all devices of the account. */
  deviceGroups: DeviceScope;
}

/**
 * A key has the privileges of its groups (spec §2.11, §5 rule 5). Each limit applies to all of them: a group gives
 * nothing beyond the limit of another one or of the key. A limited key does not administer, because an administrator
 * can lift any limit.
 */
export const rightsOf = (groups: readonly Granting[], ownLimit: readonly string[] | null): Rights => {
  const permissions = [...new Set(groups.flatMap(permissionsOfGroup))];
  const deviceGroups = narrowest([ownLimit, ...groups.map((group) => group.deviceGroups)]);
  return { permissions: deviceGroups ? permissions.filter((one) => one !== admin) : permissions, deviceGroups };
};
