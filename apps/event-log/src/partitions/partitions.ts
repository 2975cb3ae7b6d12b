import { CLOCK, type Clock, CONFIG } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import type { EventLogConfig } from '../config.js';
import { lockTimeoutMs, strayBatch, weeksAhead } from '../limits.js';
import { keptFromMs, missingWeeks, type Range } from './ranges.js';

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
 * The weekly partitions of the log. An expired week is dropped whole, which frees its disk space at once. Replicas
 * take turns by an advisory lock.
 */
@Injectable()
export class Partitions {
  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Pick<EventLogConfig, 'retentionDays'>,
  ) {}

  /** Creates missing partitions, from the oldest kept entry to `weeksAhead`, and drops expired ones. */
  async keep(): Promise<{ made: number; dropped: number; removed: number }> {
    const made = await this.ensure();
    const dropped = await this.dropExpired();
    return { made, dropped, removed: await this.removeStrays() };
  }

  async ensure(): Promise<number> {
    return this.inTurn(async (manager) => {
      const now = this.clock.now();
      const ahead = now + weeksAhead * 7 * 86_400_000;
      const missing = missingWeeks(await this.existing(manager), this.keptFromMs(), ahead);
      for (const week of missing) await this.make(manager, week);
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

  /** Deletes expired entries outside all partitions: those from the far future expire by their time of arrival. */
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

  /** Moves rows of the week that arrived before it had a partition into it. */
  private async make(manager: EntityManager, week: Range): Promise<void> {
    const table = `event_log.${nameOf(week)}`;
    const bounds = [iso(week.fromMs), iso(week.toMs)];
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
