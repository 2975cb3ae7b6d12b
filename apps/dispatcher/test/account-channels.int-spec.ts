import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, WebSocketClient } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem } from './test-system.js';

const channels = '../../v3/channels';
const failing = '../../v3/attention/failing-channels';

describe('the channels of an account', () => {
  let system: TestSystem;
  let service: RunningService;
  let receiver: CallbackReceiver;
  let admin: Customer;
  let other: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('account-channels');
    service = await system.startReplica();
  });
  afterAll(() => system?.drop());

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    const accountId = newId();
    [admin, other] = await Promise.all([system.customer(accountId), system.customer(accountId)]);
    await call(other, 'PUT', 'callback', { url: `${receiver.url}?token=secret`, headers: { authorization: 'secret' } });
  });
  afterEach(async () => {
    system.clock.resume();
    await receiver.stop();
  });

  const call = (customer: Customer, method: string, path: string, body?: unknown): Promise<Answer> =>
    system.call(service, customer, method, path, body);

  const asAdmin = (method: string, path: string, customer = admin): Promise<Answer> =>
    system.call(service, customer, method, path, undefined, { permissions: ['admin', 'notifications'] });

  it('administrators see all of them, without what may be a credential; others see their own', async () => {
    await call(admin, 'PUT', 'websocket');
    const { body, text } = await asAdmin('GET', `${channels}?include=total_count`);
    expect(body).toMatchObject({ total_count: 2, has_more: false });
    const listed = (body as { data: { id: string }[] }).data;
    expect(listed.map(({ id }) => id)).toEqual([admin.keyId, other.keyId].toSorted());
    expect(listed.find(({ id }) => id === other.keyId)).toMatchObject({
      delivery_mechanism: 'CALLBACK',
      receiver: new URL(receiver.url).origin,
      queue_size: 0,
      connected: null,
      connected_from: null,
      problem: null,
      loses_events_at: null,
    });
    expect(text).not.toContain('secret');
    expect((await call(other, 'GET', channels)).body).toMatchObject({ data: [{ id: other.keyId }] });
    expect(await call(other, 'GET', `${channels}/${admin.keyId}`)).toMatchObject({ status: 404 });
    const stranger = await system.customer();
    expect(await asAdmin('GET', `${channels}/${other.keyId}`, stranger)).toMatchObject({ status: 404 });
    expect((await asAdmin('GET', channels, stranger)).body).toMatchObject({ data: [] });
  });

  it('say where their WebSocket or poll is connected from, as long as it is', async () => {
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const isConnectedFrom = (address: string | null, { keyId } = admin): Promise<unknown> =>
      eventually(async () =>
        expect((await asAdmin('GET', `${channels}/${keyId}`)).body).toMatchObject({
          connected: address !== null,
          connected_from: address,
        }),
      );
    const connect = (address: string): Promise<WebSocketClient> =>
      new WebSocketClient({ url: service.url, key: admin.key, headers: from(address) }).opened();

    await call(admin, 'PUT', 'websocket');
    await isConnectedFrom(null);
    const older = await connect('192.0.2.7');
    await isConnectedFrom('192.0.2.7');
    const newer = await connect('2001:db8::7');
    await eventually(() => expect(older.closed).toMatchObject({ code: 1001 }));
    await isConnectedFrom('2001:db8::7');
    newer.close();
    await isConnectedFrom(null);

    const polling = await system.customer(admin.accountId);
    const poll = system.call(service, polling, 'GET', 'pull', undefined, { headers: from('192.0.2.8') });
    await isConnectedFrom('192.0.2.8', polling);
    await system.value(polling, 'news');
    expect((await poll).status).toBe(200);
    await isConnectedFrom(null, polling);
  });

  it('continue page by page, in both orders', async () => {
    await Promise.all(
      Array.from({ length: 3 }, async () => {
        await call(await system.customer(admin.accountId), 'PUT', 'websocket');
      }),
    );
    for (const order of ['ASC', 'DESC']) {
      const seen: string[] = [];
      for (let after = ''; ;) {
        const { body } = await asAdmin('GET', `${channels}?limit=2&order=${order}${after && `&after=${after}`}`);
        const { data, has_more: hasMore } = body as { data: { id: string }[]; has_more: boolean };
        seen.push(...data.map(({ id }) => id));
        after = seen.at(-1) as string;
        if (!hasMore) break;
      }
      expect(seen).toEqual(order === 'ASC' ? seen.toSorted() : seen.toSorted().toReversed());
      expect(new Set(seen).size).toBe(4);
    }
  });

  it('say what is wrong and when events will be lost', async () => {
    receiver.answer(503);
    await system.value(other, 'late');
    await eventually(async () =>
      expect((await asAdmin('GET', `${channels}/${other.keyId}`)).body).toMatchObject({
        problem: expect.stringContaining('has failed'),
        loses_events_at: expect.any(String),
      }),
    );
    expect((await asAdmin('GET', `${failing}?include=total_count`)).body).toMatchObject({
      total_count: 1,
      data: [{ key_id: other.keyId }],
    });
    const behind = await asAdmin('GET', `${failing}?include=total_count&after=${other.keyId}`);
    expect(behind.body).toMatchObject({ total_count: 1, data: [] });
  });

  it('are tested: an empty message, with their headers, and why it was not accepted', async () => {
    const before = receiver.calls.length;
    const test = () => asAdmin('POST', `${channels}/${other.keyId}/test`);
    expect(await test()).toMatchObject({ status: 200, body: { delivered: true, reason: null } });
    expect(receiver.calls.slice(before)).toMatchObject([{ body: '{}', headers: { authorization: 'secret' } }]);
    receiver.answer(500);
    expect(await test()).toMatchObject({ status: 200, body: { delivered: false, reason: 'status 500' } });
    await call(admin, 'PUT', 'websocket');
    expect(await asAdmin('POST', `${channels}/${admin.keyId}/test`)).toMatchObject({ status: 404 });
    expect(await call(admin, 'POST', `${channels}/${other.keyId}/test`)).toMatchObject({ status: 404 });
  });

  it('show their last messages, also those that were not accepted, to those who see the channel', async () => {
    const messages = async (): Promise<unknown> =>
      (await asAdmin('GET', `${channels}/${other.keyId}/messages`)).body as unknown;
    expect(await messages()).toEqual({ object: 'channel-messages', data: [] });
    await system.value(other, 'first');
    await eventually(async () =>
      expect(await messages()).toMatchObject({
        data: [
          {
            events: 1,
            outcome: 'accepted',
            excerpt: expect.stringMatching(/^\{"notifications":\[\{/),
            bytes: expect.any(Number),
          },
        ],
      }),
    );
    receiver.answer(500);
    system.clock.slowDown();
    await system.value(other, 'second');
    await eventually(async () =>
      expect(await messages()).toMatchObject({ data: [{ outcome: 'status 500' }, { outcome: 'accepted' }] }),
    );
    expect(await call(admin, 'GET', `${channels}/${other.keyId}/messages`)).toMatchObject({ status: 404 });
    // A channel that is created again begins with none.
    await call(other, 'DELETE', 'callback');
    system.clock.resume();
    system.clock.jump(1_000);
    receiver.answer(200);
    await call(other, 'PUT', 'callback', { url: receiver.url });
    expect(await messages()).toMatchObject({ data: [] });
  });

  it('get signing secrets from an administrator, whose action it is in the event log', async () => {
    const secrets = `${channels}/${other.keyId}/signing-secrets`;
    const made = (await asAdmin('POST', secrets)).body as { id: string; secret: string };
    expect(made.secret).toMatch(/^whsec_/);
    expect((await asAdmin('GET', secrets)).body).toMatchObject({ data: [{ id: made.id }] });
    await asAdmin('POST', `${channels}/${other.keyId}/test`);
    expect(receiver.calls.at(-1)?.headers).toHaveProperty('webhook-signature');
    expect(await call(admin, 'DELETE', `${secrets}/${made.id}`)).toMatchObject({ status: 404 });
    expect(await asAdmin('DELETE', `${secrets}/${made.id}`)).toMatchObject({ status: 204 });
    expect((await call(other, 'GET', 'callback/signing-secrets')).body).toMatchObject({ data: [] });
  });
});
