import { notificationsPermission } from '@lanyard/contracts';

/** Manage keys, groups and the account. */
export const admin = 'admin';
/** Devices, groups of devices, commands, subscriptions, snapshots and the event log. */
export const devices = 'devices';
/** The key's own notification channel. */
export const notifications = notificationsPermission;

export type Permission = typeof admin | typeof devices | typeof notifications;

/** `administrators` and `developers` exist once per account; `custom` groups are made by administrators. */
export type GroupKind = 'administrators' | 'developers' | 'custom';

const ofKind: Record<GroupKind, readonly Permission[]> = {
  administrators: [admin, devices, notifications],
  developers: [devices, notifications],
  custom: [devices, notifications],
};

/** A key has the privileges of its groups (spec §2.11, §5 rule 5). */
export const permissionsOf = (kinds: readonly GroupKind[]): Permission[] => [
  ...new Set(kinds.flatMap((kind) => ofKind[kind])),
];
