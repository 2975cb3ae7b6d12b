import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '@lanyard/kafka';
import { newId } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { ProfileAnnouncer } from '../devices/profile-announcer.js';
import { GroupsService } from './groups.service.js';

describe('deletions of device groups', () => {
  it('of one account hold five places at the database; one of another begins', async () => {
    const transactions = new HeldQueries();
    const groups = new GroupsService(
      { transaction: transactions.query } as unknown as DataSource,
      {} as unknown as AuditTrail,
      {} as unknown as ProfileAnnouncer,
    );
    const remove = (accountId: string): Promise<void> =>
      groups.remove({ accountId, keyId: newId(), requestId: newId() }, newId());
    expect(await transactions.begunByTenAndOne(remove)).toEqual([5, 6]);
  });
});
