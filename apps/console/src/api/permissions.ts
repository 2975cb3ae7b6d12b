import { useSession } from './session.ts';

/** The parts of `devices`, then the others (apps/gateway/README.md). */
export type Permission =
  | 'devices.read'
  | 'devices.write'
  | 'devices.suspend'
  | 'devices.credentials'
  | 'commands'
  | 'subscriptions'
  | 'snapshots.read'
  | 'events.read'
  | 'campaigns'
  | 'notifications'
  | 'admin'
  | 'installation';

const notPartsOfDevices: readonly string[] = ['notifications', 'admin', 'installation'];

/** Whether the permissions held include the one that is needed; `devices` includes its parts. */
export const includes = (held: readonly string[], needed: Permission | 'devices'): boolean =>
  held.includes(needed) || (held.includes('devices') && !notPartsOfDevices.includes(needed));

/** Why the person may not do something; undefined: they may. */
export const useRefusal = (needed: Permission | undefined): string | undefined => {
  const { permissions, subject } = useSession();
  if (needed === undefined || includes(permissions, needed)) return undefined;
  return `${subject.name} does not have the permission ${needed}. An administrator can add it to one of its groups.`;
};
