import pg from 'pg';

/**
 * Locks the rows that a `SELECT … FOR UPDATE` finds, so that every other transaction waits for them. Returns a function
 * that releases them.
 */
export const holdRows = async (
  databaseUrl: string,
  sql: string,
  parameters: readonly unknown[],
): Promise<() => Promise<void>> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query('BEGIN');
  await client.query(sql, [...parameters]);
  return async () => {
    await client.query('ROLLBACK');
    await client.end();
  };
};
