import { type DeviceLifecycleChanged, DeviceLifecycle } from '@lanyard/contracts';
import { formatTimestamp } from '@lanyard/service';
import { KafkaProducer } from '@lanyard/kafka';
import { eventually, patienceMs } from '@lanyard/testing';
import { describe, expect, it } from '@jest/globals';
import { DataSource } from 'typeorm';
import { CatchUp } from '../src/catch-up/catch-up.js';
import { CommandClaims } from '../src/commands/command-claims.js';
import { CommandQueue } from '../src/commands/command-queue.js';
import type { Command } from '../src/commands/command.entity.js';
import { Commands } from '../src/commands/commands.js';
import { Deliverer } from '../src/commands/deliverer.js';
import { CommandHistory } from '../src/commands/history.js';
import { deviceBlocked } from '../src/commands/outcome.js';
import { Rules } from '../src/presubscriptions/rules.js';
import { LastSeen } from '../src/sessions/last-seen.js';
import { Sessions } from '../src/sessions/sessions.js';
import { DeviceLifecycleReader } from '../src/state/device-lifecycle.reader.js';
import type { Session } from '../src/sessions/session.js';
import { SubscriptionReconciler } from '../src/subscriptions/subscription-reconciler.js';
import {
  ConnectionEnded,
  NoAnswer,
  NotSendable,
  NotSent,
  Refused,
  RequestAborted,
  UnusableAnswer,
} from '../src/transport/device-link.js';
import { accountId, content, deliveryTest } from './delivery-test.js';

describe('a device that does not answer', () => {
  const { link, clock, app, part, register, send, ended, waitingStatements, hold, redis } = deliveryTest('delivery');

  const silence = (): Promise<never> => Promise.reject(new NoAnswer());
  const lockOf = ({ deviceId }: Session): string => `SELECT pg_advisory_xact_lock(hashtextextended('${deviceId}', 0))`;

  it('is asked as often as its sender wished, then 504 TIMEOUT', async () => {
    link.answer = silence;
    const session = await register();
    expect(await ended(await send(session, 'GET', 2))).toMatchObject({ status: 504, error: 'TIMEOUT', attempts: 3 });
    expect(link.asked).toHaveLength(3);
  });

  it('and what it may have executed is not sent again', async () => {
    link.answer = silence;
    expect(await ended(await send(await register(), 'POST', 5))).toMatchObject({ status: 504, attempts: 1 });
    expect(link.asked).toHaveLength(1);
  });

  it('one that resets is asked again, also to execute; then 503 NOT_CONNECTED', async () => {
    link.answer = () => Promise.reject(new Refused());
    expect(await ended(await send(await register(), 'POST', 1))).toMatchObject({
      status: 503,
      error: 'NOT_CONNECTED',
      note: 'The device rejected the request with a Reset.',
    });
    expect(link.asked).toHaveLength(2);
  });

  it('answers the second time', async () => {
    let first = true;
    link.answer = () => (first ? ((first = false), silence()) : Promise.resolve(content));
    expect(await ended(await send(await register(), 'GET', 1))).toMatchObject({ status: 200, attempts: 2 });
  });

  it.each(['GET', 'POST'] as const)(
    'a %s that could not leave waits for the next connection, and counts nothing',
    async (method) => {
      link.answer = () => Promise.reject(new NotSent());
      const session = await register();
      const asyncId = await send(session, method);
      await eventually(async () => {
        await clock.advance(1_000);
        if (link.asked.length < 4) throw new Error('asked too seldom');
      });
      link.answer = () => Promise.resolve(content);
      expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
    },
  );

  it('a connection that ends before the answer does not end what can be repeated', async () => {
    let cut = true;
    link.answer = () => (cut ? ((cut = false), Promise.reject(new ConnectionEnded())) : Promise.resolve(content));
    expect(await ended(await send(await register(), 'GET'))).toMatchObject({ status: 200, attempts: 2 });
  });

  it('one whose connection ends each time is not asked forever, and never twice to execute', async () => {
    link.answer = () => Promise.reject(new ConnectionEnded());
    expect(await ended(await send(await register(), 'GET'))).toMatchObject({
      status: 502,
      error: 'CONNECTION_FAILED',
      attempts: 3,
    });
    const lost = await ended(await send(await register(), 'PUT'));
    expect(lost).toMatchObject({ status: 502, attempts: 3, note: expect.stringContaining('may have executed') });
    expect(await ended(await send(await register(), 'POST', 5))).toMatchObject({
      status: 504,
      attempts: 1,
      note: expect.stringContaining('may have executed the command'),
    });
  });

  it('what its connection cannot carry is 413 at once', async () => {
    link.answer = () => Promise.reject(new NotSendable());
    expect(await ended(await send(await register(), 'GET', 5))).toMatchObject({ status: 413, attempts: 1 });
  });

  it('a write that was asked twice says so', async () => {
    let first = true;
    link.answer = () => (first ? ((first = false), silence()) : Promise.resolve({ ...content, code: '2.04' }));
    expect(await ended(await send(await register(), 'PUT', 1))).toMatchObject({
      status: 200,
      attempts: 2,
      note: 'The device received the request up to 2 times and may have executed it more than once.',
    });
  });

  const expireSql = 'UPDATE commands SET expires_at = accepted_at WHERE device_id = $1';
  const cancel = (commands: Command[]) => Promise.all(commands.map((command) => part(CommandQueue).cancel(command)));

  it.each<[how: string, error: string, end: (deviceId: string, commands: Command[]) => Promise<unknown>]>([
    ['expires', 'REQUEST_EXPIRED', (deviceId) => part(DataSource).query(expireSql, [deviceId])],
    ['is cancelled', 'REQUEST_CANCELLED', (_, commands) => cancel(commands)],
    ['is refused', 'DEVICE_BLOCKED', (deviceId) => part(CommandQueue).failAll(deviceId, () => deviceBlocked)],
  ])('a write that was sent and then %s says that it may have been executed', async (_, error, end) => {
    link.answer = silence;
    const session = await register(true);
    const [sent, unsent] = [await send(session, 'PUT', 2), await send(session, 'PUT', 2)];
    const history = part(CommandHistory);
    await eventually(async () => expect(await history.get(app, sent)).toMatchObject({ state: 'waiting', attempts: 1 }));
    await end(session.deviceId, [await history.find(app, sent), await history.find(app, unsent)]);
    const says = expect.stringContaining('may have executed');
    expect(await ended(sent)).toMatchObject({ status: 429, error, attempts: 1, note: says });
    const saysNothing = expect.not.stringContaining('may have executed');
    expect(await ended(unsent)).toMatchObject({ status: 429, error, attempts: 0, note: saysNothing });
  });

  it('one in queue mode is left alone until it is heard', async () => {
    link.answer = silence;
    const session = await register(true);
    const asyncId = await send(session, 'GET', 2);
    await eventually(() => session.silent);
    await clock.advance(60_000);
    expect(link.asked).toHaveLength(1);
    link.answer = () => Promise.resolve(content);
    await eventually(async () => (await part(CommandHistory).get(app, asyncId)).state === 'waiting');
    part(LastSeen).recordMessage(session);
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 2 });
  });

  it('one in queue mode that is heard while its command is put back is asked again', async () => {
    const session = await register(true);
    let unlock = async (): Promise<void> => undefined;
    link.answer = async () => {
      unlock = await hold(lockOf(session));
      return silence();
    };
    const asyncId = await send(session, 'GET', 2);
    await eventually(async () => expect(await waitingStatements('pid')).toBe(1));
    link.answer = () => Promise.resolve(content);
    part(LastSeen).recordMessage(session);
    await unlock();
    // The clock stands still: nothing else looks for commands.
    await eventually(() => expect(link.asked).toHaveLength(2));
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 2 });
  });

  it('one in queue mode that was not heard is not given the next command either', async () => {
    link.answer = silence;
    const session = await register(true);
    const [first, second] = [await send(session, 'POST'), await send(session, 'POST')];
    expect(await ended(first)).toMatchObject({ status: 504, attempts: 1 });
    expect(session.silent).toBe(true);
    await clock.advance(10_000);
    expect(await part(CommandHistory).get(app, second)).toMatchObject({ state: 'waiting', attempts: 0 });
    link.answer = () => Promise.resolve({ ...content, code: '2.04' });
    part(LastSeen).recordMessage(session);
    expect(await ended(second)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('one in queue mode that falls asleep before its command has its turn is given it when it is heard', async () => {
    const session = await register(true);
    link.answer = async ({ beforeSending }) => {
      // A request before this one was not answered.
      session.silent = true;
      await beforeSending?.();
      return content;
    };
    const asyncId = await send(session, 'POST');
    await eventually(() => expect(link.asked).toHaveLength(1));
    await eventually(async () =>
      expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting', attempts: 0 }),
    );
    link.answer = () => Promise.resolve({ ...content, code: '2.04' });
    part(LastSeen).recordMessage(session);
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('one in queue mode is asked again to observe when it is heard, also if its subscriptions change while it sleeps', async () => {
    link.answer = silence;
    const session = await register(true);
    const reconciler = part(SubscriptionReconciler);
    await part(Rules).replace(accountId, app.keyId, [{ 'resource-path': ['/3/0/4'] }]);
    await reconciler.applyRules(session);
    expect(link.asked).toHaveLength(1);
    await reconciler.scheduleReconciliation(session);
    expect(link.asked).toHaveLength(1);
    link.answer = () => Promise.resolve(content);
    part(LastSeen).recordMessage(session);
    // The clock stands still: there is no pause, in which it might fall asleep again.
    await eventually(() => expect(link.asked).toHaveLength(2));
  });

  it('is asked again to observe, after longer and longer pauses, though it says nothing', async () => {
    const askedAtMs: number[] = [];
    link.answer = () => {
      askedAtMs.push(clock.now());
      return askedAtMs.length < 3 ? silence() : Promise.resolve(content);
    };
    const session = await register();
    // It looks at each device when the clock jumps.
    const poll = part(CatchUp) as unknown as { step?(): Promise<void>; lastPollMs: number };
    poll.step = () => Promise.resolve();
    await part(Rules).replace(accountId, app.keyId, [{ 'resource-path': ['/3/0/4'] }]);
    await part(SubscriptionReconciler).applyRules(session);
    expect(link.asked).toHaveLength(1);
    const answered = async (): Promise<void> => {
      await clock.advance(1_000);
      expect(session.observations.has('/3/0/4')).toBe(true);
    };
    await eventually(answered, { intervalMs: 20 });
    const [first = 0, second = 0, third = 0] = askedAtMs;
    expect(second - first).toBeGreaterThanOrEqual(30_000);
    expect(third - second).toBeGreaterThanOrEqual(60_000);
    await clock.advance(500_000);
    expect(link.asked).toHaveLength(3);
    delete poll.step;
    poll.lastPollMs = clock.now();
  });

  it.each(['GET', 'POST'] as const)(
    'a %s whose claim got no answer from the database is claimed again',
    async (method) => {
      const session = await register();
      session.isRegistrationAnswered = false;
      const asyncId = await send(session, method);
      // As if the connection had ended when the claim was stored, before its answer.
      await part(CommandClaims).claim(session.deviceId, { replica: 'dp-0', epoch: session.epoch });
      session.isRegistrationAnswered = true;
      part(Deliverer).deliverWaiting(session.deviceId);
      expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
    },
  );

  it('a command that is stored is accepted, though its hint for another replica is lost', async () => {
    const session = await register();
    session.isRegistrationAnswered = false;
    const known = await part(Commands).device(app, session.deviceId);
    const elsewhere = { ...known, session: { ...known.session!, owner: 'dp-1' } };
    redis().disconnect();
    const asyncId = await send(session, 'GET', 0, elsewhere).finally(() => redis().connect());
    expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting' });
  });

  /** The command waits to be stored until `unlock` is called. */
  const sendLocked = async (session: Session) => {
    const known = await part(Commands).device(app, session.deviceId);
    const unlock = await hold(lockOf(session));
    const sending = send(session, 'GET', 0, known);
    await eventually(async () => expect(await waitingStatements('pid')).toBe(1));
    return { sending, unlock };
  };

  it('one that stops listening while a command is stored gets it when it listens again', async () => {
    const session = await register();
    const { sending, unlock } = await sendLocked(session);
    session.isRegistrationAnswered = false;
    await unlock();
    const asyncId = await sending;
    await eventually(async () =>
      expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting', attempts: 0 }),
    );
    expect(link.asked).toEqual([]);
    session.isRegistrationAnswered = true;
    part(LastSeen).recordMessage(session);
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('one that listens again while a command is put back that was stored for it gets it', async () => {
    const session = await register();
    const { sending, unlock } = await sendLocked(session);
    session.isRegistrationAnswered = false;
    // Locks are given in the order in which they were asked for: this one before that of the command that is put back.
    const holding = hold(lockOf(session));
    await eventually(async () => expect(await waitingStatements('pid')).toBe(2));
    await unlock();
    const [asyncId, unlockAgain] = await Promise.all([sending, holding]);
    await eventually(async () => expect(await waitingStatements('pid')).toBe(1));
    session.isRegistrationAnswered = true;
    part(LastSeen).recordMessage(session);
    await unlockAgain();
    await eventually(() => expect(link.asked).toHaveLength(1));
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });

  it.each([true, false])(
    'one that is suspended while a command waits to be stored refuses it (listens: %p)',
    async (listens) => {
      const session = await register();
      session.isRegistrationAnswered = listens;
      const { deviceId } = session;
      const { sending, unlock } = await sendLocked(session);
      await part(KafkaProducer).send<DeviceLifecycleChanged>(DeviceLifecycle, {
        deviceId,
        accountId,
        change: 'suspended',
        endpointName: '',
        lifecycleStatus: 'blocked',
        revision: 1,
        changedAt: formatTimestamp(Date.now()),
      });
      await eventually(() => part(DeviceLifecycleReader).has(deviceId));
      await unlock();
      expect(await ended(await sending)).toMatchObject({ status: 429, error: 'DEVICE_BLOCKED' });
      expect(link.asked).toEqual([]);
    },
  );

  it('many commands for one device leave the database to those of others', async () => {
    const [busy, other] = [await register(), await register()];
    for (const session of [busy, other]) session.isRegistrationAnswered = false;
    const known = await part(Commands).device(app, busy.deviceId);
    const unlock = await hold(lockOf(busy));
    const sending = Array.from({ length: 20 }, () => send(busy, 'GET', 0, known));
    await eventually(async () => expect(await waitingStatements('pid')).toBeGreaterThan(0));
    const late = new Promise<string>((resolve) => setTimeout(() => resolve('late'), patienceMs).unref());
    const first = await Promise.race([send(other, 'GET'), late]).finally(unlock);
    await Promise.all(sending);
    expect(first).not.toBe('late');
  });

  it('one in queue mode whose answer cannot be used is awake: it is given the next command', async () => {
    let first = true;
    link.answer = () => (first ? ((first = false), Promise.reject(new UnusableAnswer())) : Promise.resolve(content));
    const session = await register(true);
    const [odd, next] = [await send(session, 'GET'), await send(session, 'GET')];
    expect(await ended(odd)).toMatchObject({ status: 504, attempts: 1 });
    expect(await ended(next)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('one that leaves while it is asked has its read waiting, and no attempt counted', async () => {
    link.answer = (_request, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new RequestAborted())));
    const session = await register();
    const asyncId = await send(session, 'GET');
    await eventually(() => link.asked.length === 1);
    await part(Sessions).close(session);
    await eventually(async () =>
      expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting', attempts: 0 }),
    );
  });

  it.each([
    ['is in doubt if it was sent', true, { state: 'failed', status: 504, attempts: 1 }],
    ['waits if it was not sent yet', false, { state: 'waiting', status: null, attempts: 0 }],
  ] as const)('one that leaves before it answers: what it is to execute %s', async (_, isSent, record) => {
    const aborted = new RequestAborted('the session ended', {}, isSent);
    link.answer = (_request, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(aborted)));
    const session = await register();
    const asyncId = await send(session, 'POST');
    await eventually(() => expect(link.asked).toHaveLength(1));
    await part(Sessions).close(session);
    await eventually(async () => expect(await part(CommandHistory).get(app, asyncId)).toMatchObject(record));
  });

  it('one that registers again while it is asked has received a write, and its repetition says so', async () => {
    link.answer = (_request, signal) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new RequestAborted())));
    const session = await register();
    const asyncId = await send(session, 'PUT');
    await eventually(() => link.asked.length === 1);
    await part(Sessions).close(session);
    await eventually(async () =>
      expect(await part(CommandHistory).get(app, asyncId)).toMatchObject({ state: 'waiting', attempts: 1 }),
    );
    link.answer = () => Promise.resolve({ ...content, code: '2.04' });
    const { deviceId } = await register(false, session.deviceId);
    part(Deliverer).deliverWaiting(deviceId);
    expect(await ended(asyncId)).toMatchObject({
      status: 200,
      attempts: 2,
      note: 'The device received the request up to 2 times and may have executed it more than once.',
    });
  });

  it('a queue that could not be read is looked at again', async () => {
    const session = await register(true);
    session.silent = true;
    const asyncId = await send(session, 'GET');
    const unlock = await hold('LOCK TABLE device_proxy.commands IN ACCESS EXCLUSIVE MODE');
    part(LastSeen).recordMessage(session);
    await eventually(async () => {
      expect(await waitingStatements('pg_terminate_backend(pid)')).toBeGreaterThan(0);
    });
    await unlock();
    expect(await ended(asyncId)).toMatchObject({ status: 200, attempts: 1 });
  });

  it('nothing is asked of a device that has no answer to its registration yet', async () => {
    const session = await register();
    session.isRegistrationAnswered = false;
    const asyncId = await send(session, 'GET');
    await clock.advance(10_000);
    expect(link.asked).toHaveLength(0);
    session.isRegistrationAnswered = true;
    part(Deliverer).deliverWaiting(session.deviceId);
    expect(await ended(asyncId)).toMatchObject({ status: 200 });
  });
});
