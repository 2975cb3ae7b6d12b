import { describe, expect, it } from '@jest/globals';
import type { AuditTrail, Outbox } from '@lanyard/kafka';
import { type ListQuery, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { UploadedModels } from './uploaded-models.js';

describe('lists of object definitions', () => {
  it('are read again if all on a page are deleted before they are read: clients continue after its last item', async () => {
    const found = [['a', 'b', 'c'], ['c']];
    const left = [[], [{ id: 'c', createdAt: new Date(0) }]];
    const manager = {
      query: () => Promise.resolve((found.shift() ?? []).map((id) => ({ id, bytes: 0 }))),
      find: () => Promise.resolve(left.shift() ?? []),
    };
    const models = new UploadedModels(
      { manager } as unknown as DataSource,
      {} as unknown as Outbox,
      {} as unknown as AuditTrail,
      new TestClock(),
    );
    const query: ListQuery = { limit: 2, after: null, order: 'ASC', includeTotal: false, filters: [] };
    expect(await models.list(newId(), query)).toMatchObject({ data: [{ id: 'c' }], has_more: false });
  });
});
