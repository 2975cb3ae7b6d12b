import type { Device } from '@lanyard/client/browser';
import { Status, type StatusColor } from './status.tsx';

const colors: Record<string, StatusColor> = {
  registered: 'teal',
  bootstrapped: 'blue',
  cloud_enrolling: 'blue',
  suspended: 'orange',
};

/** Where the words of the API say less. */
const words: Record<string, string> = { unenrolled: 'never registered', cloud_enrolling: 'enrolling' };

export const stateName = (state: string): string => words[state] ?? state;

export const isSuspended = ({ lifecycle_status: status }: Pick<Device, 'lifecycle_status'>): boolean =>
  status === 'blocked';

/** The state of a device; that it is suspended says more than whether it is registered. */
export const DeviceState = ({ device }: { device: Pick<Device, 'state' | 'lifecycle_status'> }) => {
  const state = isSuspended(device) ? 'suspended' : device.state;
  return <Status color={colors[state] ?? 'gray'}>{stateName(state)}</Status>;
};

/** As people know a device. */
export const nameOf = ({ name, endpoint_name: endpoint, id }: Pick<Device, 'name' | 'endpoint_name' | 'id'>): string =>
  name || endpoint || id;
