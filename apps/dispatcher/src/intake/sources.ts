import { DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';

/** Topics whose items end up in queues. */
export const sourceNames: readonly string[] = [DeviceSessions, DeviceValues, DeviceCommandResults].map(
  ({ name }) => name,
);
