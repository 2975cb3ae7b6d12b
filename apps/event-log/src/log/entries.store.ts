import { columnsOf, PreparedStatement, sharedWrite } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lookUpCode } from './codes.js';
import type { LogEntry } from './entry.js';

/** Channel on which PostgreSQL announces the ids of accounts whose log has grown. */
export const storedChannel = 'event_log_stored';

const columns = [
  'id',
  'date_time',
  'account_id',
  'device_id',
  'event_code',
  'event_type',
  'event_type_category',
  'event_type_description',
  'description',
  'state_change',
  'changes',
  'data',
] as const;

const types = ['text', 'timestamptz', ...Array<string>(7).fill('text'), 'boolean', 'jsonb', 'jsonb'];

/**
 * An advisory lock lets one batch at a time over all replicas store its entries, so that positions become visible in
 * order: a reader that has seen one has seen all previous ones. The notification wakes the streams of the accounts
 * whose log has grown.
 */
const insertion = new PreparedStatement<never>(`
  WITH turn AS MATERIALIZED (SELECT pg_advisory_xact_lock(hashtext('event_log'), hashtext('append'))),
  stored AS (
    INSERT INTO event_log.device_events (${columns.join(', ')})
    SELECT r.* FROM turn, unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')}) AS r
    ON CONFLICT DO NOTHING RETURNING account_id)
  SELECT pg_notify('${storedChannel}', account_id) FROM (SELECT DISTINCT account_id FROM stored) s`);

const row = (entry: LogEntry): unknown[] => {
  const { type, category, outcome } = lookUpCode(entry.eventCode);
  return [
    entry.id,
    entry.occurredAt,
    entry.accountId,
    entry.deviceId,
    entry.eventCode,
    type,
    category,
    outcome,
    entry.description,
    entry.stateChange,
    JSON.stringify(entry.changes),
    JSON.stringify(entry.data),
  ];
};

/** Writes the log. An existing entry is not changed, so batches may be repeated. */
@Injectable()
export class EntriesStore {
  readonly append = sharedWrite(async (entries: readonly LogEntry[]) => {
    await insertion.run(this.database.manager, columnsOf(entries.map(row)));
  });

  constructor(private readonly database: DataSource) {}
}
