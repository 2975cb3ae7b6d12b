import type { EntityManager } from 'typeorm';
import { BackgroundWork } from '../lifecycle/background-work.js';
import { affected } from './written-rows.js';

const periodMs = 600_000;

interface Retention {
  /** Deletes at most `atOnce` of the rows from before $1. */
  sql: string;
  atOnce: number;
  keptMs: number;
}

/** Deletes rows that have been kept long enough. `what`: names them in the log. */
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
    const keptFrom = new Date(this.clock.now() - keptMs);
    return (await affected(this.database, sql, [keptFrom.toISOString()])) === atOnce;
  }
}
