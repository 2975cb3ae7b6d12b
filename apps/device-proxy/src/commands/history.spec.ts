import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { DeviceGroupsReader } from '../state/device-groups.reader.js';
import { CommandHistory } from './history.js';

const query = { limit: 50, after: null, order: 'DESC', includeTotal: false, filters: [] } as const;

describe('lists of commands', () => {
  it('ten keys of one account hold five places at the database; one of another account begins', async () => {
    const queries = new HeldQueries();
    const database = { query: queries.query, manager: { find: () => Promise.resolve([]) } };
    const history = new CommandHistory(database as unknown as DataSource, {} as unknown as DeviceGroupsReader);
    const list = (accountId: string): Promise<unknown> =>
      history.list({ accountId, keyId: newId() }, { ...query, filters: [] });
    expect(await queries.begunByTenAndOne(list)).toEqual([5, 6]);
  });

  it('of a key that is limited to device groups look for the devices of these groups', async () => {
    const asked: unknown[][] = [];
    const database = {
      query: (_sql: string, parameters: unknown[]) => {
        asked.push(parameters);
        return Promise.resolve([]);
      },
      manager: { find: () => Promise.resolve([]) },
    };
    const groups = { devicesIn: (ids: readonly string[]) => ids.map((id) => `device in ${id}`) };
    const history = new CommandHistory(database as unknown as DataSource, groups as unknown as DeviceGroupsReader);
    await history.list({ accountId: newId(), keyId: 'key', deviceGroups: ['north'] }, { ...query, filters: [] });
    expect(asked).toEqual([['key', ['device in north']]]);
  });

  it('are read again if all on a page are deleted before they are read: clients continue after its last item', async () => {
    const found = [['a', 'b', 'c'], ['c']];
    const left = [[], [{ id: 'c', query: [], acceptedAt: new Date(0), expiresAt: new Date(0) }]];
    const database = {
      query: () => Promise.resolve((found.shift() ?? []).map((id) => ({ id, bytes: 0 }))),
      manager: { find: () => Promise.resolve(left.shift() ?? []) },
    };
    const history = new CommandHistory(database as unknown as DataSource, {} as unknown as DeviceGroupsReader);
    const page = await history.list({ accountId: newId(), keyId: newId() }, { ...query, limit: 2, filters: [] });
    expect(page).toMatchObject({ data: [{ id: 'c' }], has_more: false });
  });
});
