import type { Device } from '@lanyard/client/browser';
import { Status, type StatusColor } from './status.tsx';

const colors: Record<string, StatusColor> = {
  registered: 'teal',
  bootstrapped: 'blue',
  cloud_enrolling: 'blue',
  suspended: 'orange',
};

/** Words for states that the words of the API describe less clearly. */
const words: Record<string, string> = { unenrolled: 'never registered', cloud_enrolling: 'enrolling' };

export const stateName = (state: string): string => words[state] ?? state;

export const isSuspended = ({ lifecycle_status: status }: Pick<Device, 'lifecycle_status'>): boolean =>
  status === 'blocked';

/** What a suspension does to one device, and to several. */
export const suspensionEffect = {
  one: 'The device is disconnected, and its connections are rejected until it is resumed. Commands that wait for it fail, and its subscriptions end; subscriptions created by presubscription rules are restored when it registers again.',
  several:
    'The devices are disconnected, and their connections are rejected until they are resumed. Commands that wait for them fail, and their subscriptions end; subscriptions created by presubscription rules are restored when they register again.',
} as const;

/** The state of a device. `suspended` takes precedence, because it says more than whether the device is registered. */
export const DeviceState = ({ device }: { device: Pick<Device, 'state' | 'lifecycle_status'> }) => {
  const state = isSuspended(device) ? 'suspended' : device.state;
  return <Status color={colors[state] ?? 'gray'}>{stateName(state)}</Status>;
};

/** The name by which people know a device. */
export const nameOf = ({ name, endpoint_name: endpoint, id }: Pick<Device, 'name' | 'endpoint_name' | 'id'>): string =>
  name || endpoint || id;
