import { inOrder, type ListEnvelope, listEnvelope, type ListQuery, pageOfRows, type RowSource } from '@lanyard/service';
import { type EntityManager, type EntityTarget, type FindManyOptions, In } from 'typeorm';

export interface EntitySource<E> extends Omit<RowSource, 'selected'> {
  entity: EntityTarget<E>;
  relations?: FindManyOptions<E>['relations'];
}

/** One page, always with the total. `show` gets its entities in order, without those that are deleted meanwhile. */
export const pageOfEntities = async <E extends { id: string }, R>(
  manager: EntityManager,
  listed: EntitySource<E>,
  query: ListQuery,
  show: (entities: E[]) => R[] | Promise<R[]>,
): Promise<ListEnvelope<R>> => {
  const { entity, relations, ...source } = listed;
  const wanted = { ...query, includeTotal: true };
  const { rows, total } = await pageOfRows<{ id: string }>(manager, { ...source, selected: 't.id' }, wanted);
  const ids = rows.map((row) => row.id);
  const found = await manager.find<{ id: string }>(entity, { where: { id: In(ids) }, ...(relations && { relations }) });
  const hasMore = rows.length > query.limit;
  // All were deleted between the two statements. Clients continue after the last item of a page, so it needs one.
  if (found.length === 0 && hasMore) return pageOfEntities(manager, listed, query, show);
  return listEnvelope(await show(inOrder(ids, found as E[])), query, total, hasMore);
};
