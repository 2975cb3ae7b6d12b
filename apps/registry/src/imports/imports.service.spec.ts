import { describe, expect, it } from '@jest/globals';
import type { AuditTrail } from '@lanyard/kafka';
import { newId, systemClock } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import { Readable } from 'node:stream';
import type { DataSource, EntityManager } from 'typeorm';
import { ImportNotFound } from '../errors.js';
import type { ImportWorker } from './import-worker.js';
import { ImportsService, tableRowsMax } from './imports.service.js';

it('a table that consists of line ends is refused before all of it is read', async () => {
  const manager = { query: () => Promise.resolve([{ n: 0 }]) } as unknown as EntityManager;
  const transaction = (work: (manager: EntityManager) => Promise<void>): Promise<void> => work(manager);
  const imports = new ImportsService(
    { query: () => Promise.resolve([]), transaction } as unknown as DataSource,
    {} as unknown as AuditTrail,
    systemClock,
    {} as unknown as ImportWorker,
  );
  const lineEnds = Buffer.alloc(tableRowsMax, '\n');
  const body = Readable.from([Buffer.from('name\n'), lineEnds, lineEnds]);
  const actor = { accountId: newId(), keyId: newId(), requestId: newId() };
  await expect(imports.storeTable(actor, 'table', body)).rejects.toMatchObject({
    fields: [{ name: 'body', message: expect.stringContaining('More than 1048576 rows') }],
  });
});

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

  it('of which another request was first are not found, and not recorded', async () => {
    const found = { id: newId(), name: 'meters', status: 'new', processed_count: 0 };
    const recorded: unknown[] = [];
    const deleted = { query: () => Promise.resolve([[], 0]) } as unknown as EntityManager;
    const transaction = (work: (manager: EntityManager) => Promise<void>): Promise<void> => work(deleted);
    const imports = new ImportsService(
      { query: () => Promise.resolve([found]), transaction } as unknown as DataSource,
      { record: (...entry: unknown[]) => Promise.resolve(recorded.push(entry)) } as unknown as AuditTrail,
      systemClock,
      {} as unknown as ImportWorker,
    );
    const actor = { accountId: newId(), keyId: newId(), requestId: newId() };
    await expect(imports.remove(actor, found.id)).rejects.toThrow(ImportNotFound);
    expect(recorded).toEqual([]);
  });
});
