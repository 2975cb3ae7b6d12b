import { isoTime, type JsonMember, jsonRecord, pageBytesMax } from '@lanyard/service';
import { z } from 'zod';

/** The device event record (spec §2.5). */
export const DeviceEventSchema = z
  .object({
    object: z.literal('device-event'),
    id: z.string(),
    device_log_id: z.string(),
    device_id: z.string(),
    date_time: z.string().describe('ISO 8601 with microseconds'),
    created_at: z.string(),
    etag: z.string(),
    event_type: z.string().describe('Numeric part of the code, for example 106'),
    event_code: z.string().describe('For example SYS_106 or UPD4_FAIL_27'),
    event_type_category: z.string().describe('For example FAIL_SERVICE'),
    event_type_description: z.enum(['SUCCESS', 'FAIL', 'SKIPPED', 'INFO']),
    description: z.string(),
    state_change: z.boolean(),
    changes: z.record(z.string(), z.string()),
    data: z.record(z.string(), z.string()),
  })
  .meta({ id: 'DeviceEvent' });

export const DeviceEventListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(DeviceEventSchema),
    limit: z.number().int(),
    after: z.string().nullable(),
    order: z.enum(['ASC', 'DESC']),
    has_more: z.boolean(),
    total_count: z.number().int().optional(),
  })
  .meta({ id: 'DeviceEventList' });

const token = (name: string, sql = name): JsonMember => ({ name, sql, kind: 'token' });

/**
 * SQL of the record as JSON. Tokens contain nothing that JSON escapes: among them are the texts of the catalogue, and the
 * code, whose form is defined by the contract of device.events.
 */
const eventRecord = jsonRecord('device-event', [
  token('id'),
  token('device_log_id', 'id'),
  token('device_id'),
  token('date_time', isoTime('date_time')),
  token('created_at', isoTime('created_at')),
  token('etag', isoTime('created_at')),
  token('event_type'),
  token('event_code'),
  token('event_type_category'),
  token('event_type_description'),
  { name: 'description', sql: 'description', kind: 'value' },
  { name: 'state_change', sql: 'state_change::text', kind: 'json' },
  { name: 'changes', sql: 'changes', kind: 'json' },
  { name: 'data', sql: 'data', kind: 'json' },
]);

interface Page {
  where: string;
  /** Columns that order entries, and whose values together no two entries share. */
  order: string;
  count: number;
}

/**
 * SQL of a page of entries. The first column, `record`, is NULL from where the records before it have `pageBytesMax` bytes: one that another
 * system reports may have megabytes. `others`: further columns, each after a comma.
 */
export const selectPage = ({ where, order, count }: Page, others = ''): string => `
  SELECT CASE WHEN sum(octet_length(record)) OVER (ORDER BY ${order} ROWS UNBOUNDED PRECEDING) - octet_length(record) < ${pageBytesMax}
    THEN record END AS record${others}
  FROM (
    SELECT ${eventRecord} AS record, date_time, id, position FROM event_log.device_events
    WHERE ${where} ORDER BY ${order} LIMIT ${count}
  ) page
  ORDER BY ${order}`;

/** The text of one record, and its etag, which never changes. */
export const selectEvent = `SELECT ${eventRecord}, ${isoTime('created_at')} FROM event_log.device_events`;
