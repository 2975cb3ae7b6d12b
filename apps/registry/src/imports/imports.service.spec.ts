import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '@lanyard/kafka';
import { newId, systemClock } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { ImportWorker } from './import-worker.js';
import { ImportsService } from './imports.service.js';

describe('deletions of imports', () => {
  it('of one account hold five places at the database; one of another begins', async () => {
    const transactions = new HeldQueries();
    const found = { id: newId(), name: 'meters', status: 'new', processed_count: 0 };
    const imports = new ImportsService(
      { query: () => Promise.resolve([found]), transaction: transactions.query } as unknown as DataSource,
      {} as unknown as AuditTrail,
      systemClock,
      {} as unknown as ImportWorker,
    );
    const remove = (accountId: string): Promise<void> =>
      imports.remove({ accountId, keyId: newId(), requestId: newId() }, found.id);
    expect(await transactions.begunByTenAndOne(remove)).toEqual([5, 6]);
  });
});
