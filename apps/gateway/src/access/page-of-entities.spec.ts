import { describe, expect, it } from '@jest/globals';
import type { ListEnvelope, ListQuery } from '@lanyard/service';
import type { EntityManager } from 'typeorm';
import { pageOfEntities } from './page-of-entities.js';

interface Thing {
  id: string;
}

const rows = (ids: readonly string[]): Thing[] => ids.map((id) => ({ id }));

/** A page of two of the things with these ids. `left`: those that still exist each time they are read. */
const pageOf = (ids: readonly string[], ...left: (readonly string[])[]): Promise<ListEnvelope<string>> => {
  const reads = [...left];
  const manager = {
    query: async (sql: string) => (sql.includes('count(*)') ? [{ n: ids.length }] : rows(ids)),
    find: async () => rows(reads.shift() ?? []),
  };
  const source = { entity: 'things', from: 'things t', where: 'true', parameters: [] };
  const query: ListQuery = { limit: 2, after: null, order: 'ASC', includeTotal: false, filters: [] };
  return pageOfEntities<Thing, string>(manager as unknown as EntityManager, source, query, (things) =>
    things.map(({ id }) => id),
  );
};

describe('a page of a list', () => {
  it('has at most as many as the limit, in order; one more says that others follow', async () => {
    const first = await pageOf(['a', 'b', 'c'], ['c', 'b', 'a']);
    expect(first).toMatchObject({ data: ['a', 'b'], has_more: true, total_count: 3 });
    expect(await pageOf(['a', 'b'], ['b', 'a'])).toMatchObject({ data: ['a', 'b'], has_more: false });
  });

  it.each([
    ['c', ['a', 'b']],
    ['a', ['b', 'c']],
  ])('says that others follow although %s is deleted before it is read', async (_, left) => {
    expect(await pageOf(['a', 'b', 'c'], left)).toMatchObject({ data: left, has_more: true });
  });

  it('is read again if all are deleted before they are read: clients continue after its last item', async () => {
    expect(await pageOf(['a', 'b', 'c'], [], ['b', 'c'])).toMatchObject({ data: ['b', 'c'], has_more: true });
    expect(await pageOf(['a', 'b'], [])).toMatchObject({ data: [], has_more: false });
  });
});
