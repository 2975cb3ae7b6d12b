import { listEnvelope, type ListEnvelope, type ListQuery, pageOfRows, type RowSource } from '@lanyard/service';
import type { DataSource } from 'typeorm';

/** A page of a short list, always with the total. */
export const pageOf = async <T>(
  database: DataSource,
  source: RowSource,
  query: ListQuery,
): Promise<ListEnvelope<T>> => {
  const { rows, total } = await pageOfRows<T>(database, source, { ...query, includeTotal: true });
  return listEnvelope(rows, query, total);
};
