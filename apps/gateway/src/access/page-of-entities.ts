import { inOrder, type ListEnvelope, listEnvelope, type ListQuery, pageOfRows, type RowSource } from '@lanyard/service';
import { type EntityManager, type EntityTarget, type FindManyOptions, In } from 'typeorm';

export interface EntitySource<E> extends Omit<RowSource, 'selected'> {
  entity: EntityTarget<E>;
  relations?: FindManyOptions<E>['relations'];
}

/** One page, always with the total. `show` gets its entities in order. */
export const pageOfEntities = async <E extends { id: string }, R>(
  manager: EntityManager,
  { entity, relations, ...source }: EntitySource<E>,
  query: ListQuery,
  show: (entities: E[]) => R[] | Promise<R[]>,
): Promise<ListEnvelope<R>> => {
  const wanted = { ...query, includeTotal: true };
  const { rows, total } = await pageOfRows<{ id: string }>(manager, { ...source, selected: 't.id' }, wanted);
  const ids = rows.map((row) => row.id);
  const found = await manager.find<{ id: string }>(entity, { where: { id: In(ids) }, ...(relations && { relations }) });
  return listEnvelope(await show(inOrder(ids, found as E[])), query, total);
};
