import { describe, expect, it } from '@jest/globals';
import { systemClock } from '@lanyard/service';
import { HeldQueries } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { StuckCommands } from './stuck-commands.js';

describe('the list of stuck commands', () => {
  it('ten lists of one account hold five places at the database; one of another begins', async () => {
    const queries = new HeldQueries();
    const commands = new StuckCommands(queries as unknown as DataSource, systemClock);
    const list = (accountId: string): Promise<unknown> =>
      commands.list(accountId, { limit: 50, after: null, order: 'ASC', includeTotal: false, filters: [] });
    expect(await queries.begunByTenAndOne(list)).toEqual([5, 6]);
  });
});
