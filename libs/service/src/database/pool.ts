import type { Socket } from 'node:net';
import pg from 'pg';
import type { DataSource } from 'typeorm';

const pools = new WeakMap<DataSource, pg.Pool>();

/** Ends the connection, and what waits for it, when nothing has been sent or received for this long. */
const endWhenSilent = ({ connection }: pg.PoolClient, silenceMaxMs: number): void => {
  const stream = connection.stream as Socket;
  stream.setTimeout(silenceMaxMs, () => {
    const error = new Error(`PostgreSQL has not answered for ${silenceMaxMs} ms`);
    stream.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
  });
};

/**
 * TypeORM's option `driver`: pg, whose pool is remembered for `poolOf`. `silenceMaxMs`: how long a connection may be silent; 0: for ever.
 */
export const pgOf = (database: () => DataSource, silenceMaxMs = 0): typeof pg => ({
  ...pg,
  Pool: class extends pg.Pool {
    constructor(options?: pg.PoolConfig) {
      super(options);
      pools.set(database(), this);
      this.on('connect', (client: pg.PoolClient) => endWhenSilent(client, silenceMaxMs));
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
