import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '@lanyard/kafka';
import { type Identity, newId } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { ImagesService } from '../images/images.service.js';
import { CampaignsService } from './campaigns.service.js';

describe('deletions of campaigns', () => {
  it('of one account hold five places at the database; one of another begins', async () => {
    const transactions = new HeldQueries();
    const campaigns = new CampaignsService(
      { transaction: transactions.query } as unknown as DataSource,
      {} as unknown as ImagesService,
      {} as unknown as AuditTrail,
    );
    const remove = (accountId: string): Promise<void> => campaigns.remove({ accountId } as Identity, newId());
    expect(await transactions.begunByTenAndOne(remove)).toEqual([5, 6]);
  });
});
