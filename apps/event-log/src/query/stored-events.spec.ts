import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { StoredEvents } from './stored-events.js';

const start = { position: '0', id: '0' };

describe('entries behind a position', () => {
  it('ten reads of one account hold five places at the database; one of another begins', async () => {
    const waiting: (() => void)[] = [];
    const query = (): Promise<unknown[]> => new Promise((resolve) => waiting.push(() => resolve([])));
    const stored = new StoredEvents({ query } as unknown as DataSource);
    const [many, other] = [newId(), newId()];
    const reads = Array.from({ length: 10 }, () => stored.behind({ accountId: many }, start, [], 100));
    expect(waiting).toHaveLength(5);
    reads.push(stored.behind({ accountId: other }, start, [], 100));
    expect(waiting).toHaveLength(6);
    for (let read = waiting.shift(); read; read = waiting.shift()) {
      read();
      await new Promise(setImmediate);
    }
    expect(await Promise.all(reads)).toHaveLength(11);
  });
});
