import { DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';

/** Topics whose items end up in queues. */
export const sources = [DeviceSessions, DeviceValues, DeviceCommandResults] as const;

export const sourceNames: readonly string[] = sources.map(({ name }) => name);
