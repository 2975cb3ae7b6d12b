import { eventually } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import type { KnownDevice } from '../src/commands/commands.js';
import { CommandHistory } from '../src/commands/history.js';
import { pollPeriodMs, pollWindowSeconds } from '../src/commands/limits.js';
import type { Session } from '../src/sessions/session.js';
import { accountId, content, deliveryTest } from './delivery-test.js';

describe('a command of a device that listens', () => {
  const { link, clock, app, part, register, send, ended, waitingStatements, hold } = deliveryTest('next-command');

  /** The device has a command in flight, its only one, which it answers when the test calls `answer`. */
  const withOneInFlight = async () => {
    const answers: (() => void)[] = [];
    link.answer = () => new Promise((resolve) => answers.push(() => resolve(content)));
    const session = await register();
    const first = await send(session, 'GET');
    await eventually(() => link.asked.length === 1);
    return { session, first, answer: (): void => answers.shift()?.() };
  };
  /** Nothing tells the owner of the session of the command. */
  const withoutHint = ({ deviceId }: Session): KnownDevice => ({ deviceId, accountId });

  it('follows at once when it was stored while the only one was in flight', async () => {
    const { session, first, answer } = await withOneInFlight();
    const [second, third] = [await send(session, 'GET'), await send(session, 'GET')];
    // Time stands still: no poll finds them.
    for (const n of [2, 3]) {
      answer();
      await eventually(() => link.asked.length === n);
    }
    answer();
    for (const asyncId of [first, second, third])
      expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('is sent at once when it is stored after the only one has ended', async () => {
    const { session, first, answer } = await withOneInFlight();
    answer();
    await eventually(async () => (await part(CommandHistory).get(app, first)).state === 'succeeded');
    const second = await send(session, 'GET');
    await eventually(() => link.asked.length === 2);
    answer();
    expect(await ended(second)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('is found by a poll when its hint was lost while the only one was in flight', async () => {
    const { session, first, answer } = await withOneInFlight();
    const second = await send(session, 'GET', 0, withoutHint(session));
    answer();
    await eventually(async () => (await part(CommandHistory).get(app, first)).state === 'succeeded');
    await eventually(async () => {
      await clock.advance(pollPeriodMs);
      expect(link.asked).toHaveLength(2);
    });
    answer();
    expect(await ended(second)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('is found when polls have failed for longer than they look back', async () => {
    const session = await register();
    const asyncId = await send(session, 'GET', 0, withoutHint(session));
    await part(DataSource).query(
      'UPDATE commands SET stored_at = now() - make_interval(secs => $1) WHERE async_id = $2',
      [pollWindowSeconds, asyncId],
    );
    const unlock = await hold('LOCK TABLE device_proxy.interest_changes IN ACCESS EXCLUSIVE MODE');
    for (let failed = 0; failed < pollWindowSeconds / 2; failed++)
      await eventually(async () => {
        await clock.advance(pollPeriodMs);
        expect(await waitingStatements('pg_terminate_backend(pid)')).toBeGreaterThan(0);
      });
    await unlock();
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });
});
