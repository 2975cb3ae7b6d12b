import { describe, expect, it } from '@jest/globals';
import type { AuditTrail, Outbox } from '@lanyard/kafka';
import { type Identity, type ListRequest, newId } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource, EntityManager } from 'typeorm';
import type { DeviceList } from '../devices/device-list.js';
import { GroupNotFound } from '../errors.js';
import { GroupsController } from './groups.controller.js';
import { GroupsService } from './groups.service.js';

describe('deletions of device groups', () => {
  it('of one account hold five places at the database; one of another begins', async () => {
    const transactions = new HeldQueries();
    const groups = new GroupsService(
      { transaction: transactions.query } as unknown as DataSource,
      {} as unknown as AuditTrail,
      {} as unknown as Outbox,
    );
    const remove = (accountId: string): Promise<void> =>
      groups.remove({ accountId, keyId: newId(), requestId: newId() }, newId());
    expect(await transactions.begunByTenAndOne(remove)).toEqual([5, 6]);
  });
});

describe('a device that is added to a device group', () => {
  it('does not have the devices of the group counted', async () => {
    const statements: string[] = [];
    const query = (sql: string): Promise<unknown[]> => {
      statements.push(sql);
      return Promise.resolve([{ name: 'hall', count: 1 }]);
    };
    const transaction = (work: (manager: EntityManager) => Promise<void>): Promise<void> =>
      work({ query } as unknown as EntityManager);
    const groups = new GroupsService(
      { transaction } as unknown as DataSource,
      { record: () => Promise.resolve() } as unknown as AuditTrail,
      {} as unknown as Outbox,
    );
    const actor: Identity = {
      accountId: newId(),
      keyId: newId(),
      groups: [],
      permissions: ['devices'],
      tier: 'commercial',
      requestId: 'r',
    };
    await groups.changeMember('add', actor, newId(), newId());
    expect(statements).toContainEqual(expect.stringMatching(/^INSERT INTO registry.group_members/));
    expect(statements.filter((sql) => /count\(\*\)[^]*group_id =/.test(sql))).toEqual([]);
  });
});

describe('a list of the devices of a group', () => {
  const listed = async (accountId: string, groupId: string, deviceGroups?: string[]): Promise<string[]> => {
    const statements: string[] = [];
    const query = (sql: string, [id]: string[] = []): Promise<unknown[]> => {
      statements.push(sql);
      return Promise.resolve(id === groupId ? [{ id }] : []);
    };
    const groups = new GroupsService(
      { query } as unknown as DataSource,
      {} as unknown as AuditTrail,
      {} as unknown as Outbox,
    );
    const devices = { list: () => Promise.resolve() } as unknown as DeviceList;
    const caller = { accountId, ...(deviceGroups && { deviceGroups }) };
    await new GroupsController(groups, devices).members(groupId, { caller } as unknown as ListRequest);
    return statements;
  };

  it('does not have the devices of the group counted', async () => {
    const statements = await listed(newId(), newId());
    expect(statements).toEqual([expect.stringMatching(/^SELECT name FROM registry.device_groups/)]);
  });

  it('is not found by a caller that is limited to other groups', async () => {
    await expect(listed(newId(), newId(), [newId()])).rejects.toThrow(GroupNotFound);
  });
});
