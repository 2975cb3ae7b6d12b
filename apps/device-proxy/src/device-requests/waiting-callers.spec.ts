import { describe, expect, it } from '@jest/globals';
import { newId, type StopDeadline } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import { waitingCallersOfAccountMax, waitLookMs } from '../commands/limits.js';
import type { WakeUps } from '../sessions/wake-ups.js';
import { WaitingCallers } from './waiting-callers.js';

/** `find`: what PostgreSQL says of a command. */
const callersOf = (find: () => Promise<object>, clock: TestClock): WaitingCallers =>
  new WaitingCallers(
    { manager: { findOneBy: find } } as unknown as DataSource,
    { on: () => undefined } as unknown as WakeUps,
    clock,
    {} as unknown as StopDeadline,
  );

describe('requests that wait for results', () => {
  it('of one account leave room to those of others', async () => {
    const waiting = { status: null };
    const clock = new TestClock();
    const callers = callersOf(() => Promise.resolve(waiting), clock);
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

  it('get the result when PostgreSQL answers again: their command is stored', async () => {
    const finished = { asyncId: 'a', status: 200, error: null, result: null, resultType: null, resultMaxAge: null };
    const clock = new TestClock();
    let looks = 0;
    const find = (): Promise<object> =>
      looks++ === 0 ? Promise.reject(new Error('Connection terminated')) : Promise.resolve(finished);
    const response = callersOf(find, clock).response({ id: newId(), accountId: newId() }, 60);
    await clock.advance(0);
    await clock.advance(waitLookMs);
    expect(await response).toEqual({ id: 'a', status: 200, payload: '' });
  });

  it('are answered as for a command in the queue when PostgreSQL does not answer in time', async () => {
    const clock = new TestClock();
    const find = (): Promise<object> => Promise.reject(new Error('Connection terminated'));
    const response = callersOf(find, clock).response({ id: newId(), accountId: newId() }, 1);
    await clock.advance(0);
    await clock.advance(1_000);
    expect(await response).toBeUndefined();
  });

  it('are answered in time though the clock is set back by an hour', async () => {
    const clock = new TestClock();
    const waiting = { status: null };
    const response = callersOf(() => Promise.resolve(waiting), clock).response({ id: newId(), accountId: newId() }, 60);
    await clock.advance(0);
    clock.adjust(-3_600_000);
    await clock.advance(60_000);
    expect(await Promise.race([response, 'still waiting'])).toBeUndefined();
  });
});
