import pg from 'pg';

/**
 * Keeps the rows that a `SELECT … FOR UPDATE` finds from every other transaction, which waits for them. Answers what
 * lets them go.
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
