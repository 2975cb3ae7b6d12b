import { filtersToSql, type ListQuery } from '@lanyard/service';
import type { EntityManager } from 'typeorm';

export interface PageSource {
  /** FROM clause; the listed table is `t` and has an `id`. */
  from: string;
  /** Filter field -> SQL expression. */
  columns: Record<string, string>;
  /** Conditions on `$1`…, whose values are `parameters`. */
  where: string;
  parameters: unknown[];
}

export interface PageOfIds {
  /** Up to `limit` + 1, in order. */
  ids: string[];
  total: number;
}

/** The ids of one page and the number of rows on all pages: lists of keys and groups always carry the total. */
export const pageOfIds = async (manager: EntityManager, source: PageSource, query: ListQuery): Promise<PageOfIds> => {
  const parameters = [...source.parameters];
  const where = [source.where, ...filtersToSql(query.filters, source.columns, parameters)].join(' AND ');
  const [count] = await manager.query<{ total: number }[]>(
    `SELECT count(*)::int AS total FROM ${source.from} WHERE ${where}`,
    parameters,
  );
  const after =
    query.after === null ? '' : ` AND t.id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`;
  const rows = await manager.query<{ id: string }[]>(
    `SELECT t.id FROM ${source.from} WHERE ${where}${after} ORDER BY t.id ${query.order} LIMIT ${query.limit + 1}`,
    parameters,
  );
  return { ids: rows.map((row) => row.id), total: count?.total ?? 0 };
};

/** Rows in the order of ids; ids without a row are left out. */
export const inOrder = <T extends { id: string }>(ids: readonly string[], rows: readonly T[]): T[] => {
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.flatMap((id) => byId.get(id) ?? []);
};
