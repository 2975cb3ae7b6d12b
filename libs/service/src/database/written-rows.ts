import type { EntityManager } from 'typeorm';

type Database = Pick<EntityManager, 'query'>;

/** The rows of an UPDATE or DELETE … RETURNING, which TypeORM answers together with their number. */
export const returning = async <Row>(database: Database, sql: string, parameters?: unknown[]): Promise<Row[]> =>
  (await database.query<[Row[], number]>(sql, parameters))[0];

/** Inserts a row: the value of each column, by its name. No name may be text of a request. */
export const insertRow = async (database: Database, table: string, row: Record<string, unknown>): Promise<void> => {
  const places = Object.keys(row).map((_, i) => `$${i + 1}`);
  const sql = `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${places.join(', ')})`;
  await database.query(sql, Object.values(row));
};

/** How many rows an UPDATE or DELETE has changed. */
export const affected = async (database: Database, sql: string, parameters?: unknown[]): Promise<number> =>
  (await database.query<[unknown[], number]>(sql, parameters))[1];

/** How many rows there are. `rows`: a table with its conditions, as they follow FROM. */
export const countOf = async (database: Database, rows: string, parameters: unknown[]): Promise<number> => {
  const [counted] = await database.query<{ n: number }[]>(`SELECT count(*)::int AS n FROM ${rows}`, parameters);
  return counted?.n ?? 0;
};

/**
 * Whether the query, which has no LIMIT, finds a row. For work that checks often and rarely finds something: this takes
 * a third of the time of a transaction.
 */
export const hasRow = async (database: Database, sql: string, parameters?: unknown[]): Promise<boolean> =>
  (await database.query<unknown[]>(`${sql} LIMIT 1`, parameters)).length > 0;
