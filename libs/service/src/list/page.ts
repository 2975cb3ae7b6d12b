import type { DataSource } from 'typeorm';
import { FairQueue } from '../database/fair-queue.js';
import { type ListEnvelope, listEnvelope, type ListQuery } from './list-query.js';
import { pageOfRows, type RowSource } from './page-of-rows.js';

const pageOf = async <T>(database: DataSource, source: RowSource, query: ListQuery): Promise<ListEnvelope<T>> => {
  const { rows, total } = await pageOfRows<T>(database, source, query);
  return listEnvelope(rows, query, total);
};

/** A page of a short list, always with the total. */
export const countedPageOf = <T>(database: DataSource, source: RowSource, query: ListQuery): Promise<ListEnvelope<T>> =>
  pageOf(database, source, { ...query, includeTotal: true });

/** A page of a list that may be long: it waits for its turn at the database. */
export const fairPageOf = <T>(
  database: DataSource,
  accountId: string,
  source: RowSource,
  query: ListQuery,
): Promise<ListEnvelope<T>> => FairQueue.at(database).run(accountId, () => pageOf(database, source, query));
