import { DeviceEvents, type DeviceEventReported, fixtures } from '@lanyard/contracts';
import { newId } from '@lanyard/service';

const accountId = newId();

/** The `n`-th of a device: its description says so. */
export const event = (deviceId: string, n: number): DeviceEventReported => ({
  ...(fixtures(DeviceEvents).valid['client code'] as DeviceEventReported),
  accountId,
  deviceId,
  eventId: newId(),
  description: String(n),
});
