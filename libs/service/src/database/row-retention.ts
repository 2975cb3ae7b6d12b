import type { EntityManager } from 'typeorm';
import { BackgroundWork } from '../lifecycle/background-work.js';
import { affected } from './written-rows.js';

const periodMs = 600_000;

interface Retention {
  /** Deletes at most `atOnce` of the rows that are older than $1 seconds by the clock of PostgreSQL, which dates them. */
  sql: string;
  atOnce: number;
  keptMs: number;
}

/**
 * Deletes rows that have been kept long enough. The clock of the process does not count: a fast one must not delete
 * what is kept. `what`: names the rows in the log.
 */
export abstract class RowRetention extends BackgroundWork {
  constructor(
    private readonly database: Pick<EntityManager, 'query'>,
    private readonly retention: Retention,
    what: string,
  ) {
    super(periodMs, `${what} not deleted, tried again`);
  }

  protected async step(): Promise<boolean> {
    const { sql, atOnce, keptMs } = this.retention;
    return (await affected(this.database, sql, [keptMs / 1_000])) === atOnce;
  }
}
