import type { DeviceEventReported } from '@lanyard/contracts';
import { formatTimestamp, newId } from '@lanyard/service';
import type { DeviceUpdate } from '../machine/device-update.js';
import type { UpdateRow } from './update-row.js';

type EntryRow = Pick<
  UpdateRow,
  'account_id' | 'device_id' | 'campaign_id' | 'campaign_name' | 'image_id' | 'version' | 'endpoint_name'
>;

const withoutNulls = (data: Record<string, string | null>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).filter((pair): pair is [string, string] => pair[1] !== null));

const entry = (
  row: EntryRow,
  eventCode: string,
  nowMs: number,
  more: Record<string, string | null> = {},
): DeviceEventReported => ({
  eventId: newId(nowMs),
  deviceId: row.device_id,
  accountId: row.account_id,
  eventCode,
  data: withoutNulls({
    campaign_id: row.campaign_id,
    campaign_name: row.campaign_name,
    firmware_image_id: row.image_id,
    firmware_version: row.version,
    endpoint_name: row.endpoint_name,
    ...more,
  }),
  occurredAt: formatTimestamp(nowMs),
});

export const addedEntry = (row: EntryRow, nowMs: number): DeviceEventReported => entry(row, 'SYS_108', nowMs);

export const endEntry = (
  row: EntryRow,
  {
    code,
    reason,
    previousVersion,
    attempt,
    state,
  }: Pick<DeviceUpdate, 'code' | 'reason' | 'previousVersion' | 'attempt' | 'state'>,
  nowMs: number,
): DeviceEventReported => ({
  ...entry(row, code ?? 'SYS_111', nowMs, {
    reason,
    previous_version: previousVersion,
    attempts: String(attempt),
  }),
  stateChange: state === 'succeeded',
});
