import { createHmac } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, type ReceivedCall } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem, payloads } from './test-system.js';

const path = 'callback/signing-secrets';

interface Made {
  id: string;
  secret: string;
  created_at: string;
}

/** As a receiver does it, from the text of Standard Webhooks alone. */
const isSignedWith = ({ headers, body }: ReceivedCall, secret: string): boolean => {
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const signature = `v1,${createHmac('sha256', key).update(content).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(signature);
};

describe('signed callbacks', () => {
  let system: TestSystem;
  let replicas: [RunningService, RunningService];
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('signatures');
    replicas = [await system.startReplica('dispatcher-1'), await system.startReplica('dispatcher-2')];
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    customer = await system.customer();
  });

  afterEach(async () => {
    system.clock.resume();
    await receiver.stop();
  });

  const call = (method: string, to: string, body?: unknown): Promise<Answer> =>
    system.call(replicas[0], customer, method, to, body);

  const make = async (): Promise<Made> => (await call('POST', path)).body as Made;

  const register = (url = receiver.url): Promise<Answer> => call('PUT', 'callback', { url });

  const delivered = async (payload: string): Promise<ReceivedCall> => {
    await system.value(customer, payload);
    await eventually(() => expect(payloads(receiver.events('notifications'))).toContain(payload));
    return receiver.deliveries.at(-1) as ReceivedCall;
  };

  it('without secrets nothing is signed; 404 without a callback channel', async () => {
    for (const [method, to] of [
      ['POST', path],
      ['GET', path],
      ['DELETE', `${path}/${customer.keyId}`],
    ] as const)
      expect(await call(method, to)).toMatchObject({ status: 404, text: 'CHANNEL_NOT_FOUND' });
    await call('PUT', 'websocket');
    expect((await call('POST', path)).status).toBe(404);
    await call('DELETE', 'websocket');
    await register();
    const { headers } = await delivered('plain');
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([]);
  });

  it('the secret is shown once; the list has ids and times; three at most', async () => {
    await register();
    const answer = await call('POST', path);
    expect(answer).toMatchObject({
      status: 201,
      body: { id: expect.stringMatching(/^[0-9a-f]{32}$/), created_at: expect.stringMatching(/\.\d{6}Z$/) },
    });
    const first = answer.body as Made;
    expect(Buffer.from(first.secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
    const [second, third] = [await make(), await make()];
    expect(await call('POST', path)).toMatchObject({ status: 409, text: 'SIGNING_SECRETS_EXCEEDED' });
    const listed = await call('GET', path);
    expect(listed.body).toEqual({
      object: 'list',
      data: [first, second, third].map(({ id, created_at }) => ({ id, created_at })),
      limit: 50,
      after: null,
      order: 'ASC',
      has_more: false,
    });
    for (const { secret } of [first, second, third]) {
      expect(listed.text).not.toContain(secret);
      expect((await call('GET', 'callback')).text).not.toContain(secret);
    }
    expect((await call('GET', `${path}?limit=2`)).body).toMatchObject({ has_more: true });
    expect((await call('GET', `${path}?after=${second.id}`)).body).toMatchObject({ data: [{ id: third.id }] });
    expect((await call('GET', `${path}?after=missing`)).status).toBe(404);
    expect((await call('DELETE', `${path}/${second.id}`)).status).toBe(204);
    expect((await call('GET', `${path}?after=${second.id}`)).body).toMatchObject({ data: [{ id: third.id }] });
    expect(await call('DELETE', `${path}/${second.id}`)).toMatchObject({
      status: 404,
      text: 'SIGNING_SECRET_NOT_FOUND',
    });
    expect((await call('POST', path)).status).toBe(201);
  });

  it('change of secrets: signed with all of them, and not with one that was deleted', async () => {
    await register();
    const old = await make();
    const before = await delivered('with the old one');
    expect(isSignedWith(before, old.secret)).toBe(true);
    expect(Math.abs(Number(before.headers['webhook-timestamp']) * 1_000 - system.clock.now())).toBeLessThan(60_000);
    const fresh = await make();
    const during = await delivered('with both');
    expect([old, fresh].map(({ secret }) => isSignedWith(during, secret))).toEqual([true, true]);
    await call('DELETE', `${path}/${old.id}`);
    const after = await delivered('with the new one');
    expect([old, fresh].map(({ secret }) => isSignedWith(after, secret))).toEqual([false, true]);
    expect(after.headers['webhook-id']).not.toBe(before.headers['webhook-id']);
    await call('DELETE', `${path}/${fresh.id}`);
    expect((await delivered('with none')).headers['webhook-signature']).toBeUndefined();
  });

  it('a repetition has the same id, and the time of its attempt', async () => {
    await register();
    const { secret } = await make();
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'again');
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ failures: 1 }));
    receiver.answer(204);
    system.clock.jump(5_000);
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    const [first, second] = receiver.deliveries.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(Number(second?.['webhook-timestamp'])).toBeGreaterThan(Number(first?.['webhook-timestamp']));
    expect(receiver.deliveries.every((each) => isSignedWith(each, secret))).toBe(true);
  });

  it('a repetition has the same id when more has come meanwhile, which is sent behind it', async () => {
    await register();
    await make();
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'again');
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ failures: 1 }));
    // Of one device, so in this order.
    const deviceId = newId();
    for (const payload of ['more', 'and more']) await system.value(customer, payload, deviceId);
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ queue_size: 3 }));
    receiver.answer(204);
    system.clock.jump(1_000);
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['again', 'more', 'and more']));
    const [first, second, third] = receiver.deliveries as [ReceivedCall, ReceivedCall, ReceivedCall];
    expect(second.body).toBe(first.body);
    const ids = [first, second, third].map(({ headers }) => headers['webhook-id']);
    expect(ids).toEqual([ids[0], ids[0], expect.not.stringMatching(String(ids[0]))]);
  });

  it('a changed secret does not change the URL: failed callbacks keep waiting', async () => {
    await register();
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(customer, 'waits');
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ failures: 1 }));
    const { body } = await call('GET', 'callback');
    const { secret } = await make();
    expect((await call('GET', 'callback')).body).toMatchObject({
      failures: 1,
      failing_since: (body as { failing_since: string }).failing_since,
    });
    receiver.answer(204);
    system.clock.jump(1_000);
    await eventually(() => expect(receiver.messages).toHaveLength(1));
    expect(isSignedWith(receiver.deliveries.at(-1) as ReceivedCall, secret)).toBe(true);
  });

  it('a new URL keeps the secrets, and its verification is signed; a new channel has none', async () => {
    await register();
    const { id, secret } = await make();
    const next = await new CallbackReceiver().start();
    expect((await register(next.url)).status).toBe(200);
    expect(next.calls).toHaveLength(1);
    expect(isSignedWith(next.calls[0] as ReceivedCall, secret)).toBe(true);
    await system.value(customer, 'moved');
    await eventually(() => expect(next.messages).toHaveLength(1));
    expect(isSignedWith(next.deliveries[0] as ReceivedCall, secret)).toBe(true);
    expect((await call('GET', path)).body).toMatchObject({ data: [{ id }] });
    await call('DELETE', 'callback');
    await register(next.url);
    expect((await call('GET', path)).body).toMatchObject({ data: [] });
    await next.stop();
  });

  it('one that Redis and PostgreSQL keep is sealed', async () => {
    await register();
    const { secret } = await make();
    const keys = await system.redis.keys(`${system.isolation.redisPrefix}*m:${customer.keyId}`);
    const stored = JSON.stringify(await system.redis.hgetall(keys[0] ?? ''));
    expect(stored).toContain('target');
    expect(stored).not.toContain(secret.slice('whsec_'.length));
    const rows = await system.query('SELECT target FROM dispatcher.channels WHERE key_id = $1', [customer.keyId]);
    expect(JSON.stringify(rows)).not.toContain(secret.slice('whsec_'.length));
    expect(rows).toHaveLength(1);
  });
});
