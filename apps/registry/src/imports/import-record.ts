import { isoTime } from '@lanyard/service';
import { z } from 'zod';
import { isSuspended } from '../devices/account-suspension.js';

export const DeviceImport = z
  .object({
    object: z.literal('device-import'),
    id: z.string(),
    name: z.string(),
    status: z.enum(['uploading', 'new', 'processing', 'completed']),
    waits_for: z
      .enum(['account_resumed'])
      .nullable()
      .describe(
        '`account_resumed`: the account is suspended, and the import resumes automatically when the account is resumed',
      ),
    total_count: z.number().int().describe('Number of rows after the header'),
    processed_count: z.number().int(),
    errors_count: z.number().int().describe('Number of rows that created no device'),
    errors_report_file: z.string().describe('Path of the error report, with one line per problem'),
    created_at: z.string(),
    completed_at: z.string().nullable(),
    etag: z.string(),
  })
  .meta({ id: 'DeviceImport' });

export type DeviceImport = z.infer<typeof DeviceImport>;

/** SQL of the record; the table is `t`. */
export const importRecord = `'device-import' AS object, t.id, t.name, t.status,
  CASE WHEN t.status IN ('new', 'processing') AND ${isSuspended('t.account_id')} THEN 'account_resumed' END AS waits_for,
  t.total_count, t.processed_count, t.errors_count, '/v3/device-imports/' || t.id || '/errors' AS errors_report_file,
  ${isoTime('t.created_at')} AS created_at, ${isoTime('t.completed_at')} AS completed_at, ${isoTime('t.touched_at')} AS etag`;
