import pg from 'pg';
import type { DataSource } from 'typeorm';

const pools = new WeakMap<DataSource, pg.Pool>();

/** TypeORM's option `driver`: pg, whose pool is remembered for `poolOf`. */
export const pgOf = (database: () => DataSource): typeof pg => ({
  ...pg,
  Pool: class extends pg.Pool {
    constructor(options?: pg.PoolConfig) {
      super(options);
      pools.set(database(), this);
    }
  },
});

/**
 * The pool of a DataSource that `openDatabase` opened, for statements that run all the time: for each statement that
 * TypeORM runs itself, it makes a query runner and several promises.
 */
export const poolOf = (database: DataSource): pg.Pool => {
  const pool = pools.get(database);
  if (!pool) throw new Error('The DataSource is not one of openDatabase');
  return pool;
};
