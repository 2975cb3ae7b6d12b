import type { KeyGroup } from '@lanyard/client/browser';
import { useSession } from './session.ts';

/** In the order of the matrix: `devices` includes every permission after it (apps/gateway/README.md). */
export const permissions = [
  'admin',
  'notifications',
  'devices',
  'devices.read',
  'devices.write',
  'devices.suspend',
  'devices.credentials',
  'commands',
  'subscriptions',
  'snapshots.read',
  'events.read',
  'campaigns',
] as const satisfies readonly KeyGroup['permissions'][number][];

export type Permission = (typeof permissions)[number];

/** Whether the permissions held include the one that is needed. */
export const includes = (held: readonly string[], needed: Permission): boolean =>
  held.includes(needed) || (held.includes('devices') && permissions.indexOf(needed) > permissions.indexOf('devices'));

/** A permission; `for all devices` excludes people who are limited to device groups. */
export type Need = Permission | `${Permission} for all devices`;

/** Why the person may not do something; undefined if they may. */
export const useRefusal = (needed: Need): string | undefined => {
  const { permissions: held, subject, device_groups: limit } = useSession();
  const permission = needed.replace(' for all devices', '') as Permission;
  if (!includes(held, permission))
    return `${subject.name} does not have the permission ${permission}. An administrator can add it to one of its groups.`;
  if (permission === needed || limit === null) return undefined;
  return `${subject.name} is limited to device groups, and this concerns all devices of the account.`;
};
