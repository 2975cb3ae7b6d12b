import type { EntityManager } from 'typeorm';

type Database = Pick<EntityManager, 'query'>;

/** The rows of an UPDATE or DELETE … RETURNING, which TypeORM answers together with their number. */
export const returning = async <Row>(database: Database, sql: string, parameters?: unknown[]): Promise<Row[]> =>
  (await database.query<[Row[], number]>(sql, parameters))[0];

/** How many rows an UPDATE or DELETE has changed. */
export const affected = async (database: Database, sql: string, parameters?: unknown[]): Promise<number> =>
  (await database.query<[unknown[], number]>(sql, parameters))[1];

/**
 * Whether the query, which has no LIMIT, finds a row. For work that checks often and rarely finds something: this takes
 * a third of the time of a transaction.
 */
export const hasRow = async (database: Database, sql: string, parameters?: unknown[]): Promise<boolean> =>
  (await database.query<unknown[]>(`${sql} LIMIT 1`, parameters)).length > 0;
