import { type ListQuery, pageOfRows, type RowSource } from '@lanyard/service';
import type { EntityManager } from 'typeorm';

export type PageSource = Omit<RowSource, 'selected'>;

export interface PageOfIds {
  /** Up to `limit` + 1, in order. */
  ids: string[];
  total: number;
}

/** The ids of one page and the number of rows on all pages: lists of keys and groups always include the total. */
export const pageOfIds = async (manager: EntityManager, source: PageSource, query: ListQuery): Promise<PageOfIds> => {
  const wanted = { ...query, includeTotal: true };
  const { rows, total = 0 } = await pageOfRows<{ id: string }>(manager, { ...source, selected: 't.id' }, wanted);
  return { ids: rows.map((row) => row.id), total };
};
