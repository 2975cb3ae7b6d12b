import { describe, expect, it } from '@jest/globals';
import { newId, type StopDeadline } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { waitingCallersOfAccountMax } from '../commands/limits.js';
import type { WakeUps } from '../sessions/wake-ups.js';
import { WaitingCallers } from './waiting-callers.js';

describe('requests that wait for results', () => {
  it('of one account leave room to those of others', async () => {
    const waiting = { status: null };
    const database = { manager: { findOneBy: () => Promise.resolve(waiting) } };
    const clock = new TestClock();
    const callers = new WaitingCallers(
      database as unknown as DataSource,
      { on: () => undefined } as unknown as WakeUps,
      clock,
      {} as unknown as StopDeadline,
    );
    const answered: string[] = [];
    const wait = (accountId: string): Promise<void> =>
      callers.response({ id: newId(), accountId }, 1).then(() => void answered.push(accountId));
    const [many, other] = [newId(), newId()];
    const waits = Array.from({ length: waitingCallersOfAccountMax + 1 }, () => wait(many));
    waits.push(wait(other));
    await clock.advance(0);
    expect(answered).toEqual([many]);
    await clock.advance(1_000);
    await Promise.all(waits);
    const again = wait(many);
    await clock.advance(0);
    expect(answered).toHaveLength(waits.length);
    await clock.advance(1_000);
    await again;
  });
});
