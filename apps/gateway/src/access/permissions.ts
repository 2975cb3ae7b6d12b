import { notificationsPermission } from '@lanyard/contracts';

/** Manage keys, groups and the account. */
export const admin = 'admin';
/** All that follows but the channel: devices, commands, subscriptions, snapshots and the event log. */
export const devices = 'devices';
/** The key's own notification channel. */
export const notifications = notificationsPermission;
/** Manage all accounts. Nobody is given it: administrators of the installation's account have it. */
export const installation = 'installation';

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

/** What a group may give. */
export const grantable = [admin, devices, notifications, ...partsOfDevices] as const;

export type Permission = (typeof grantable)[number];

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

/** `devices` includes its parts. */
export const allows = (held: readonly string[], needed: Permission): boolean =>
  held.includes(needed) || (held.includes(devices) && (partsOfDevices as readonly string[]).includes(needed));
