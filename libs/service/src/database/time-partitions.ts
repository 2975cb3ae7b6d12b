import type { DataSource, EntityManager } from 'typeorm';
import type { Clock } from '../clock.js';
import { missingPeriods, type TimeRange } from './time-ranges.js';

/**
 * How long a change of a table waits for the readers of the table, while new readers and writers wait behind it. Then
 * it fails, and the next check retries it.
 */
const lockTimeoutMs = 5_000;

export interface PartitionedTable {
  /** Partitioned by range of a timestamptz. */
  schema: string;
  table: string;
  periodMs: number;
  /** Rows are kept for this long. */
  keptMs: number;
  /** How far ahead partitions exist, so that no write waits for one, even from a system whose clock is fast. */
  aheadMs: number;
  /** Fills the new partition `name` (with its schema) for a range, before it is attached. Default: it is empty. */
  fill?: (manager: EntityManager, name: string, bounds: readonly [from: string, to: string]) => Promise<void>;
}

interface Partition extends TimeRange {
  name: string;
}

const boundsSql = `
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = $1::regclass AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`;

const databaseTimeSql = 'SELECT (EXTRACT(epoch FROM now()) * 1000)::float8 AS ms';

const boundsForm = /FROM \('([^']+)'\) TO \('([^']+)'\)/;

const iso = (ms: number): string => new Date(ms).toISOString();

/** `2026_11_16`, and the hour if it does not begin at midnight. */
const suffixOf = ({ fromMs }: TimeRange): string =>
  iso(fromMs)
    .slice(0, fromMs % 86_400_000 === 0 ? 10 : 13)
    .replaceAll(/[-T]/g, '_');

/**
 * The partitions of a table by time. An expired one is dropped whole, which frees its disk space at once. Replicas take
 * turns by an advisory lock.
 */
export class TimePartitions {
  private readonly parent: string;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly options: PartitionedTable,
  ) {
    this.parent = `${options.schema}.${options.table}`;
  }

  /**
   * The rows before this time have expired, by the clock of this process and by that of PostgreSQL: one that is fast must not delete what
   * is kept.
   */
  async keptFromMs(): Promise<number> {
    const [{ ms }] = (await this.database.query(databaseTimeSql)) as [{ ms: number }];
    return Math.min(this.clock.now(), ms) - this.options.keptMs;
  }

  /** Creates missing partitions, from the oldest kept row to `aheadMs`. Returns how many. */
  ensure(): Promise<number> {
    const { periodMs, keptMs, aheadMs } = this.options;
    return this.inTurn(async (manager) => {
      const nowMs = this.clock.now();
      const wanted = { fromMs: nowMs - keptMs, toMs: nowMs + aheadMs };
      const missing = missingPeriods(await this.existing(manager), wanted, periodMs);
      for (const range of missing) await this.create(manager, range);
      return missing.length;
    });
  }

  /** Returns how many it dropped. */
  async dropExpired(): Promise<number> {
    const keptFromMs = await this.keptFromMs();
    const expired = (await this.existing(this.database.manager)).filter(({ toMs }) => toMs <= keptFromMs);
    for (const { name } of expired)
      await this.inTurn((manager) => manager.query(`DROP TABLE IF EXISTS ${this.options.schema}."${name}"`));
    return expired.length;
  }

  private async existing(manager: EntityManager): Promise<Partition[]> {
    const rows: { name: string; bounds: string }[] = await manager.query(boundsSql, [this.parent]);
    return rows.map(({ name, bounds }) => {
      const [, from = '', to = ''] = boundsForm.exec(bounds) ?? [];
      return { name, fromMs: Date.parse(from), toMs: Date.parse(to) };
    });
  }

  private async create(manager: EntityManager, range: TimeRange): Promise<void> {
    const name = `${this.parent}_from_${suffixOf(range)}`;
    const bounds = [iso(range.fromMs), iso(range.toMs)] as const;
    // Attached after its creation: CREATE TABLE … PARTITION OF would wait for all readers of the table, such as a pg_dump.
    await manager.query(`CREATE TABLE ${name} (LIKE ${this.parent} INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
    await this.options.fill?.(manager, name, bounds);
    await manager.query(
      `ALTER TABLE ${this.parent} ATTACH PARTITION ${name} FOR VALUES FROM ('${bounds[0]}') TO ('${bounds[1]}')`,
    );
  }

  private inTurn<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    const { schema, table } = this.options;
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtext($1), hashtext($2))', [schema, table]);
      await manager.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
      return work(manager);
    });
  }
}
