import type { EntityManager } from 'typeorm';
import { countOf } from '../database/written-rows.js';
import { filtersToSql } from './filters.js';
import type { ListQuery } from './list-query.js';

export interface RowSource {
  /** The SELECT list. */
  selected: string;
  /** The FROM clause. The listed table is `t` and has an `id`. */
  from: string;
  /** Filter field -> SQL expression, for fields that are not the column of the same name. */
  columns?: Record<string, string>;
  /** Conditions on `$1`…, whose values are `parameters`. */
  where: string;
  parameters: readonly unknown[];
  /** The total is counted up to one more than this. */
  countMax?: number;
}

export interface PageOfRows<T> {
  /** Up to `limit` + 1, in order. */
  rows: T[];
  /** The number of rows on all pages, if the query includes it. */
  total?: number;
}

export const pageOfRows = async <T>(
  database: Pick<EntityManager, 'query'>,
  { selected, from, columns, where, parameters: given, countMax }: RowSource,
  { filters, after, order, limit, includeTotal }: ListQuery,
): Promise<PageOfRows<T>> => {
  const parameters = [...given];
  // Names of fields are those of a ListSpec: parseListQuery refuses all others.
  const named = Object.fromEntries(filters.map(({ field, map = field }) => [map, `t.${map}`]));
  const wanted = [where, ...filtersToSql(filters, { ...named, ...columns }, parameters)].join(' AND ');
  const counted = `(SELECT FROM ${from} WHERE ${wanted} LIMIT ${countMax === undefined ? 'ALL' : countMax + 1}) c`;
  const total = includeTotal ? await countOf(database, counted, parameters) : undefined;
  const behind = after === null ? '' : ` AND t.id ${order === 'ASC' ? '>' : '<'} $${parameters.push(after)}`;
  const rows: T[] = await database.query(
    `SELECT ${selected} FROM ${from} WHERE ${wanted}${behind} ORDER BY t.id ${order} LIMIT ${limit + 1}`,
    parameters,
  );
  return { rows, total };
};

/** Rows in the order of ids; ids without a row are left out. */
export const inOrder = <T extends { id: string }>(ids: readonly string[], rows: readonly T[]): T[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};
