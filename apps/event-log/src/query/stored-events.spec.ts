import { describe, expect, it } from '@jest/globals';
import { PageNotFound } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { StoredEvents } from './stored-events.js';

const start = { position: '0', id: '0' };

describe('entries behind a position', () => {
  it('ten reads of one account hold five places at the database; one of another begins', async () => {
    const queries = new HeldQueries();
    const stored = new StoredEvents(queries as unknown as DataSource);
    const read = (accountId: string): Promise<unknown> => stored.pageAfter({ accountId }, start, [], 100);
    expect(await queries.begunByTenAndOne(read)).toEqual([5, 6]);
  });
});

describe('the place that a client names', () => {
  it('is refused as in a list if it is no id', async () => {
    const stored = new StoredEvents({} as DataSource);
    await expect(stored.placeOf('account', 'no-id')).rejects.toThrow(PageNotFound);
    expect(await stored.placeOf('account', '0')).toEqual(start);
  });
});
