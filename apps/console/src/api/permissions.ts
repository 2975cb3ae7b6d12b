import type { KeyGroup } from '@lanyard/client/browser';
import { useSession } from './session.ts';

/** In the order of the matrix: `devices` includes those that follow it (apps/gateway/README.md). */
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

/** Why the person may not do something; undefined: they may. */
export const useRefusal = (needed: Permission): string | undefined => {
  const { permissions: held, subject } = useSession();
  if (includes(held, needed)) return undefined;
  return `${subject.name} does not have the permission ${needed}. An administrator can add it to one of its groups.`;
};
