import { AccessKeys } from '@lanyard/contracts';
import { KafkaProducer } from '@lanyard/kafka';
import { formatTimestamp, newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { Commands, type KnownDevice } from '../src/commands/commands.js';
import { Deliverer } from '../src/commands/deliverer.js';
import { CommandHistory } from '../src/commands/history.js';
import { pollPeriodMs, pollWindowSeconds, retryPauseMs } from '../src/commands/limits.js';
import { Rules } from '../src/presubscriptions/rules.js';
import type { Session } from '../src/sessions/session.js';
import { lateRequestsMs } from '../src/subscriptions/keys.js';
import { SubscriptionReconciler } from '../src/subscriptions/subscription-reconciler.js';
import { Subscriptions } from '../src/subscriptions/subscriptions.js';
import { NoAnswer, Refused } from '../src/transport/device-link.js';
import { accountId, content, deliveryTest } from './delivery-test.js';
import { newKey } from './test-system.js';

describe('a command of a device that listens', () => {
  const { link, clock, app, part, register, send, ended, waitingStatements, hold, redis } =
    deliveryTest('next-command');

  const lockOf = ({ deviceId }: Session): string => `SELECT pg_advisory_xact_lock(hashtextextended('${deviceId}', 0))`;

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

  it('is cancelled if it has to wait again after its key was deleted', async () => {
    const key = newKey(accountId);
    const { keyId } = key;
    let noAnswer = (): void => undefined;
    link.answer = () =>
      new Promise((_, reject) => {
        noAnswer = () => reject(new NoAnswer());
      });
    const { deviceId } = await register(true);
    const device = await part(Commands).device(key, deviceId);
    const asyncId = newId();
    const read = { asyncId, kind: 'device-request', method: 'GET', path: '/3/0/4' } as const;
    const rest = { query: [], accept: null, contentType: null, payload: null, retryMax: 2, expirySeconds: 7_200 };
    await part(Commands).send(key, device, { ...read, ...rest });
    await eventually(() => expect(link.asked).toHaveLength(1));

    // The rules of the key are removed after its waiting commands.
    const rules = part(Rules);
    const setRules = () => rules.replace(accountId, keyId, [{ 'endpoint-type': 'lamp' }]);
    const removed = () => eventually(async () => expect(await rules.ofKey(keyId)).toEqual([]));
    await setRules();
    await part(KafkaProducer).send(AccessKeys, {
      keyId,
      accountId,
      hash: '0'.repeat(64),
      groups: [],
      permissions: [],
      tier: 'commercial',
      status: 'deleted',
      revision: 2,
      changedAt: formatTimestamp(Date.now()),
    });
    await removed();
    await setRules();
    await clock.advance(lateRequestsMs);
    await removed();

    noAnswer();
    const record = () => part(CommandHistory).get(key, asyncId);
    await eventually(async () => expect((await record()).state).not.toBe('executing'));
    // A device that listens would get it again after the pause.
    await clock.advance(retryPauseMs - 1);
    const cancelled = { state: 'cancelled', error: 'REQUEST_CANCELLED', attempts: 1 };
    await eventually(async () => expect(await record()).toMatchObject(cancelled));
  });

  it('to observe, whose device registers again before it is confirmed, is followed by another observation', async () => {
    const path = '/3/0/4';
    const first = await register();
    const { deviceId } = first;
    let unlock = async (): Promise<void> => undefined;
    link.answer = async () => {
      unlock = await hold(lockOf(first));
      return content;
    };
    const subscribed = part(Subscriptions).subscribe(app, deviceId, path);
    // The first value is announced, and the result waits to be stored.
    await eventually(async () => expect(await waitingStatements('pid')).toBe(1));
    link.answer = () => Promise.resolve(content);
    const second = await register(false, deviceId);
    await part(SubscriptionReconciler).applyRules(second);
    expect(link.asked).toHaveLength(1);
    await unlock();
    expect(await subscribed).toMatchObject({ confirmed: true });
    // The clock stands still: nothing else compares the observations with the subscriptions.
    await eventually(() => expect(second.observations.has(path)).toBe(true));
    await eventually(() => expect(second.singleSubscribers({ path })).toEqual([app.keyId]));
  });

  it('is sent again after a pause, although polls find it before', async () => {
    const askedAtMs: number[] = [];
    link.answer = () => {
      askedAtMs.push(clock.now());
      return Promise.reject(new Refused());
    };
    expect(await ended(await send(await register(), 'GET', 2))).toMatchObject({ status: 503, attempts: 3 });
    const [first = 0, second = 0, third = 0] = askedAtMs;
    expect(second - first).toBeGreaterThanOrEqual(retryPauseMs);
    expect(third - second).toBeGreaterThanOrEqual(retryPauseMs);
  });

  it('to execute is not in doubt if Redis failed before it was sent, and its device registers again', async () => {
    const session = await register();
    const { deviceId } = session;
    const known = await part(Commands).device(app, deviceId);
    const unlock = await hold(lockOf(session));
    const sending = send(session, 'POST', 0, known);
    await eventually(async () => expect(await waitingStatements('pid')).toBe(1));
    redis().disconnect();
    await unlock();
    const asyncId = await sending;
    await eventually(async () =>
      expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting', attempts: 0 }),
    ).finally(() => redis().connect());
    expect(link.asked).toEqual([]);
    await register(false, deviceId);
    part(Deliverer).deliverWaiting(deviceId);
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
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
