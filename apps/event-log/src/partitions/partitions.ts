import { CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventLogConfig } from '../config.js';
import { lockTimeoutMs, strayBatch, weeksAhead } from '../limits.js';
import { keptFromMs, missingRanges, type Range } from './ranges.js';

/** Rows that no partition covers. */
const strays = 'event_log.device_events_other';

const boundsSql = `
  SELECT c.relname AS name, pg_get_expr(c.relpartbound, c.oid) AS bounds
  FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
  WHERE i.inhparent = 'event_log.device_events'::regclass AND pg_get_expr(c.relpartbound, c.oid) <> 'DEFAULT'`;

const boundsForm = /FROM \('([^']+)'\) TO \('([^']+)'\)/;

interface Partition extends Range {
  name: string;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const nameOf = ({ fromMs }: Range): string => `device_events_from_${iso(fromMs).slice(0, 10).replaceAll('-', '_')}`;

/**
 * The log in weeks. A week that is past its life is dropped whole, which gives its disk space back at once. Replicas
 * take turns by an advisory lock.
 */
@Injectable()
export class Partitions {
  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<EventLogConfig, 'retentionDays'>,
  ) {}

  /** Makes what is missing from the oldest entry that is kept to `weeksAhead`, drops what is past its life. */
  async keep(): Promise<{ made: number; dropped: number; removed: number }> {
    const made = await this.ensure();
    const dropped = await this.dropExpired();
    return { made, dropped, removed: await this.removeStrays() };
  }

  async ensure(): Promise<number> {
    return this.inTurn(async (manager) => {
      const now = this.clock.now();
      const ahead = now + weeksAhead * 7 * 86_400_000;
      const missing = missingRanges(await this.existing(manager), this.keptFromMs(), ahead);
      for (const range of missing) await this.make(manager, range);
      return missing.length;
    });
  }

  private async dropExpired(): Promise<number> {
    let dropped = 0;
    for (const { name, toMs } of await this.existing(this.database.manager)) {
      if (toMs > this.keptFromMs()) continue;
      dropped += await this.inTurn(async (manager) => {
        await manager.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
        await manager.query(`DROP TABLE IF EXISTS event_log."${name}"`);
        return 1;
      });
    }
    return dropped;
  }

  /** Entries that were past their life when they came, and those of the far future, as long after they came. */
  private async removeStrays(): Promise<number> {
    let removed = 0;
    for (;;) {
      const [, count]: [unknown, number] = await this.database.query(
        `DELETE FROM ${strays} WHERE ctid IN (SELECT ctid FROM ${strays} WHERE date_time < $1 OR created_at < $1 LIMIT ${strayBatch})`,
        [iso(this.keptFromMs())],
      );
      removed += count;
      if (count < strayBatch) return removed;
    }
  }

  private keptFromMs(): number {
    return keptFromMs(this.clock.now(), this.config.retentionDays);
  }

  private async existing(manager: EntityManager): Promise<Partition[]> {
    const rows: { name: string; bounds: string }[] = await manager.query(boundsSql);
    return rows.map(({ name, bounds }) => {
      const [, from = '', to = ''] = boundsForm.exec(bounds) ?? [];
      return { name, fromMs: Date.parse(from), toMs: Date.parse(to) };
    });
  }

  /** Rows of the range that came before it had a partition move into it. */
  private async make(manager: EntityManager, range: Range): Promise<void> {
    const table = `event_log.${nameOf(range)}`;
    const bounds = [iso(range.fromMs), iso(range.toMs)];
    await manager.query(`LOCK TABLE ${strays} IN ACCESS EXCLUSIVE MODE`);
    await manager.query(
      `CREATE TABLE ${table} (LIKE event_log.device_events INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`,
    );
    await manager.query(
      `WITH moved AS (DELETE FROM ${strays} WHERE date_time >= $1 AND date_time < $2 RETURNING *)
       INSERT INTO ${table} SELECT * FROM moved`,
      bounds,
    );
    await manager.query(
      `ALTER TABLE event_log.device_events ATTACH PARTITION ${table} FOR VALUES FROM ('${bounds[0]}') TO ('${bounds[1]}')`,
    );
  }

  private inTurn<T>(work: (manager: EntityManager) => Promise<T>): Promise<T> {
    return this.database.transaction(async (manager) => {
      await manager.query(`SELECT pg_advisory_xact_lock(hashtext('event_log'), hashtext('partitions'))`);
      return work(manager);
    });
  }
}
