import { type GrantablePermission, grantablePermissions, notificationsPermission } from '@lanyard/contracts';

export { allows } from '@lanyard/contracts';

/** Manage keys, groups and the account. */
export const admin = 'admin';
/** Devices, commands, subscriptions, snapshots and the event log. */
export const devices = 'devices';
/** The key's own notification channel. */
export const notifications = notificationsPermission;
/** Manage all accounts. No group gives it: administrators of the installation's account have it. */
export const installation = 'installation';

/** What a group may give. */
export const grantable = grantablePermissions;

export type Permission = GrantablePermission;

/** `administrators` and `developers` exist once per account; `custom` groups are made by administrators. */
export type GroupKind = 'administrators' | 'developers' | 'custom';

const ofKind: Record<GroupKind, readonly Permission[]> = {
  administrators: [admin, devices, notifications],
  developers: [devices, notifications],
  custom: [devices, notifications],
};

/** What a group gives: its own list, or what its kind gives. */
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
