import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { AccountTransactions } from './account-transactions.js';
import { KeySweeper } from './key-sweeper.js';

describe('the ends of keys', () => {
  /** The accounts whose keys are announced in one step, of three accounts, for the second of which it fails. */
  const announcedWhile = async (isDatabaseThere: boolean): Promise<string[]> => {
    const announced: string[] = [];
    const query = async (sql: string): Promise<unknown[]> => {
      if (sql === 'SELECT 1' && !isDatabaseThere) throw new Error('ECONNREFUSED');
      return ['a', 'b', 'c'].map((accountId) => ({ id: `key of ${accountId}`, account_id: accountId }));
    };
    const locked = async (accountId: string): Promise<void> => {
      if (accountId === 'b') throw new Error('they cannot be announced');
      announced.push(accountId);
    };
    const sweeper = new KeySweeper({ query } as unknown as DataSource, { locked } as unknown as AccountTransactions);
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    Object.assign(sweeper, { clock: new TestClock(), logger });
    sweeper.wake();
    await sweeper.stop();
    return announced;
  };

  it('are announced also behind an account for which that fails', async () => {
    expect(await announcedWhile(true)).toEqual(['a', 'c']);
  });

  it('wait for PostgreSQL', async () => {
    expect(await announcedWhile(false)).toEqual(['a']);
  });
});
