import type { DeviceBehind } from '@lanyard/lwm2m';
import type { RegistrationData } from '../sessions/session.js';
import { devicesBehindMax } from './limits.js';
import type { RefusedDevice } from './refused-devices.js';

/** The status of a prefix: `pending` until the registry or the infrastructure answers. */
export type PrefixStatus = 'served' | 'refused' | 'pending';

/** What is known of the devices behind a gateway. */
export interface Known {
  /** The gateway's registration that the devices were last compared with. */
  data?: RegistrationData;
  devices?: readonly DeviceBehind[];
  /** Whether the list was observed when it was last read. */
  isObserved?: boolean;
  isUnreadable: boolean;
  unusable: readonly RefusedDevice[];
  statuses: ReadonlyMap<string, PrefixStatus>;
  /** The problems that are in the event log, as `RefusedDevices.reportNew` returns them. */
  reported: ReadonlySet<string>;
}

export const unread: Known = { isUnreadable: false, unusable: [], statuses: new Map(), reported: new Set() };

export type DeviceList = Required<Pick<Known, 'devices' | 'unusable'>>;

/** The state for a list that is new or is applied again. Devices keep their previous status; new ones are pending. */
export const knownOf = (
  previous: Known,
  data: RegistrationData,
  { devices, unusable }: DeviceList,
): Known & DeviceList => {
  const listed = devices.slice(0, devicesBehindMax);
  const beyond = devices.slice(devicesBehindMax).map(({ objects: _, ...one }) => ({
    ...one,
    problem: `a gateway may have at most ${devicesBehindMax} devices`,
  }));
  const statuses = new Map(
    listed.map(({ prefix }): [string, PrefixStatus] => [prefix, previous.statuses.get(prefix) ?? 'pending']),
  );
  return { ...previous, data, isUnreadable: false, devices: listed, unusable: [...unusable, ...beyond], statuses };
};
