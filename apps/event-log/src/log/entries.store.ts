import type { Clock } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { lookUpCode } from './codes.js';
import type { LogEntry } from './entry.js';

/** Partitions made ahead of time, so that no write waits for one. */
const monthsAhead = 2;

const monthStart = (year: number, month: number): string =>
  new Date(Date.UTC(year, month, 1)).toISOString().slice(0, 10);

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

const insertSql = `
  INSERT INTO event_log.device_events (${columns.join(', ')})
  SELECT * FROM unnest(${types.map((type, i) => `$${i + 1}::${type}[]`).join(', ')})
  ON CONFLICT DO NOTHING`;

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

/** Writes the log. An entry that is there already stays as it is, so batches may be repeated. */
export class EntriesStore {
  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
  ) {}

  async append(entries: readonly LogEntry[]): Promise<void> {
    if (entries.length === 0) return;
    const rows = entries.map(row);
    await this.database.query(
      insertSql,
      columns.map((_, i) => rows.map((r) => r[i])),
    );
  }

  /** The months from the last one to `monthsAhead` from now each have a partition. */
  async ensurePartitions(): Promise<void> {
    const now = new Date(this.clock.now());
    for (let offset = -1; offset <= monthsAhead; offset++)
      await this.ensureMonth(now.getUTCFullYear(), now.getUTCMonth() + offset);
  }

  private async ensureMonth(year: number, month: number): Promise<void> {
    const from = monthStart(year, month);
    const name = `device_events_${from.slice(0, 7).replace('-', '_')}`;
    const exists: unknown[] = await this.database.query(
      'SELECT 1 FROM pg_tables WHERE schemaname = $1 AND tablename = $2',
      ['event_log', name],
    );
    if (exists.length > 0) return;
    // Replicas start together: the loser of the race finds the table there.
    await this.database.query(
      `CREATE TABLE IF NOT EXISTS event_log.${name} PARTITION OF event_log.device_events FOR VALUES FROM ('${from}') TO ('${monthStart(year, month + 1)}')`,
    );
  }
}
