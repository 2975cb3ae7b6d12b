import { type GrantablePermission, grantablePermissions, notificationsPermission } from '@lanyard/contracts';

export { allows } from '@lanyard/contracts';

/** Manage keys, groups and the account. */
export const admin = 'admin';
/** Devices, commands, subscriptions, snapshots and the event log. */
export const devices = 'devices';
/** The key's own notification channel. */
export const notifications = notificationsPermission;
/** Manage all accounts. No group grants it: administrators of the installation's account have it. */
export const installation = 'installation';

/** Permissions that a group may grant. */
export const grantable = grantablePermissions;

export type Permission = GrantablePermission;

/** `administrators` and `developers` exist once per account; administrators create `custom` groups. */
export type GroupKind = 'administrators' | 'developers' | 'custom';

const ofKind: Record<GroupKind, readonly Permission[]> = {
  administrators: [admin, devices, notifications],
  developers: [devices, notifications],
  custom: [devices, notifications],
};

/** The permissions that a group grants: its own list, or those of its kind. */
export interface Granting {
  kind: GroupKind;
  permissions: readonly Permission[] | null;
}

export const permissionsOfGroup = ({ kind, permissions }: Granting): readonly Permission[] =>
  permissions ?? ofKind[kind];

/** A key has the privileges of its groups (spec §2.11, §5 rule 5). */
export const permissionsOf = (groups: readonly Granting[]): Permission[] => [
  ...new Set(groups.flatMap(permissionsOfGroup)),
];
