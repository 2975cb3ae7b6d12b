import { filtersToSql, listEnvelope, type ListEnvelope, type ListQuery } from '@lanyard/service';
import type { DataSource } from 'typeorm';

/** What a short list is read from. */
export interface PageSource {
  /** What follows SELECT. */
  selected: string;
  table: string;
  /** Filter field -> SQL expression. */
  columns: Record<string, string>;
  /** Conditions on `$1`…, whose values are `parameters`. */
  where: string;
  parameters: readonly unknown[];
}

/** A page of a list that is so short that it always says how many there are. */
export const pageOf = async <T>(
  database: DataSource,
  { selected, table, columns, where, parameters: given }: PageSource,
  query: ListQuery,
): Promise<ListEnvelope<T>> => {
  const parameters = [...given];
  const wanted = [where, ...filtersToSql(query.filters, columns, parameters)].join(' AND ');
  const [counted]: { n: number }[] = await database.query(
    `SELECT count(*)::int AS n FROM ${table} WHERE ${wanted}`,
    parameters,
  );
  const behind =
    query.after === null ? '' : ` AND id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`;
  const rows: T[] = await database.query(
    `SELECT ${selected} FROM ${table} WHERE ${wanted}${behind} ORDER BY id ${query.order} LIMIT ${query.limit + 1}`,
    parameters,
  );
  return listEnvelope(rows, query, counted?.n);
};
