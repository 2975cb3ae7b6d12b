import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually, WebSocketClient } from '@lanyard/testing';
import { type Answer, type Customer, TestSystem } from './test-system.js';

const hourMs = 3_600_000;

describe('the channels of a key', () => {
  let system: TestSystem;
  let service: RunningService;
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('channels-api');
    service = await system.startReplica();
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

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    system.call(service, customer, method, path, body);

  const announced = (status: string): Promise<unknown> =>
    eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status }));

  describe('PUT /v2/notification/callback', () => {
    it('200 verifies the URL with PUT and the headers, and stores it', async () => {
      const serialization = { type: 'v2', max_chunk_size: '100', cfg: { include_uid: 'true' } };
      const headers = { authorization: 'secret-1', 'x-own': 'x' };
      const answer = await call('PUT', 'callback', { url: receiver.url, headers, serialization });
      expect(answer).toMatchObject({
        status: 200,
        body: {
          url: receiver.url,
          headers: { authorization: '****', 'x-own': '****' },
          serialization: { type: 'v2', max_chunk_size: 100, cfg: { include_uid: true, include_timestamp: false } },
          queue_size: 0,
        },
      });
      expect(receiver.calls).toHaveLength(1);
      expect(receiver.calls[0]).toMatchObject({ method: 'PUT', path: new URL(receiver.url).pathname, body: '{}' });
      expect(receiver.calls[0]?.headers).toMatchObject({ ...headers, 'content-type': 'application/json' });
      await announced('created');
    });

    it('200 a new URL takes the place of the old one, and the queue is kept', async () => {
      await call('PUT', 'callback', { url: receiver.url });
      receiver.answer(503);
      system.clock.slowDown();
      await system.value(customer, 'kept');
      await eventually(() => expect(receiver.deliveries).toHaveLength(1));
      const second = await new CallbackReceiver().start();
      expect(await call('PUT', 'callback', { url: second.url })).toMatchObject({ status: 200 });
      await eventually(() => expect(second.events('notifications')).toHaveLength(1));
      expect(receiver.deliveries).toHaveLength(1);
      await second.stop();
    });

    it.each([500, 301, 201, 404])('400 when the URL answers %i', async (status) => {
      receiver.answer((_, response) => response.writeHead(status, { location: receiver.url }).end());
      expect(await call('PUT', 'callback', { url: receiver.url })).toMatchObject({
        status: 400,
        text: 'CALLBACK_NOT_VERIFIED',
      });
      expect(receiver.calls).toHaveLength(1);
      expect((await call('GET', 'callback')).status).toBe(404);
    });

    it('400 with a message when no server listens at the URL', async () => {
      const { url } = receiver;
      await receiver.stop();
      const json = { headers: { accept: 'application/json' } };
      const answer = await system.call(service, customer, 'PUT', 'callback', { url }, json);
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('not reachable') } });
    });

    it('400 for an address that is not public', async () => {
      expect(await call('PUT', 'callback', { url: 'http://10.0.0.1/' })).toMatchObject({
        status: 400,
        text: 'CALLBACK_URL_FORBIDDEN',
      });
      expect(await call('PUT', 'callback', { url: 'http://localhost.localdomain.invalid/' })).toMatchObject({
        status: 400,
        text: 'CALLBACK_NOT_VERIFIED',
      });
    });

    it('400 for a body that is not one', async () => {
      expect((await call('PUT', 'callback', { headers: {} })).status).toBe(400);
      expect((await call('PUT', 'callback', { url: receiver.url, headers: { a: 1 } })).status).toBe(400);
      expect((await call('PUT', 'callback', { url: receiver.url, serialization: { type: 'v1' } })).status).toBe(400);
      expect(
        (await call('PUT', 'callback', { url: receiver.url, serialization: { max_chunk_size: 20_001 } })).status,
      ).toBe(400);
    });

    it('400 with the name of a field that is not known, and of a header that was sent back masked', async () => {
      await call('PUT', 'callback', { url: receiver.url, headers: { authorization: 'secret' } });
      const { body: shown } = await call('GET', 'callback');
      const named = async (body: object): Promise<unknown> => {
        const json = { headers: { accept: 'application/json' } };
        const answer = await system.call(service, customer, 'PUT', 'callback', body, json);
        return [answer.status, (answer.body as { fields?: { name: string }[] }).fields?.map(({ name }) => name)];
      };
      expect(await named({ url: receiver.url, colour: 'red' })).toEqual([400, ['colour']]);
      expect(await named({ url: receiver.url, serialization: { cfg: { colour: true } } })).toEqual([
        400,
        ['serialization.cfg.colour'],
      ]);
      expect(await named(shown as object)).toEqual([400, ['headers.authorization']]);
      // With its values again it is what was read.
      const again = { ...(shown as object), headers: { authorization: 'secret' } };
      expect((await call('PUT', 'callback', again)).status).toBe(200);
    });

    it('401 without the gateway', async () => {
      expect((await system.call(service, undefined, 'PUT', 'callback', { url: receiver.url })).status).toBe(401);
    });
  });

  describe('GET and DELETE /v2/notification/callback', () => {
    it('404 without one, also while there is a channel of another kind', async () => {
      expect(await call('GET', 'callback')).toMatchObject({ status: 404, text: 'CHANNEL_NOT_FOUND' });
      expect((await call('DELETE', 'callback')).status).toBe(404);
      await call('PUT', 'websocket');
      expect((await call('GET', 'callback')).status).toBe(404);
      expect((await call('DELETE', 'callback')).status).toBe(404);
      expect((await call('GET', 'websocket')).status).toBe(200);
    });

    it('200 shows the queue; 204 removes it', async () => {
      await call('PUT', 'callback', { url: receiver.url });
      receiver.answer(503);
      system.clock.slowDown();
      await system.value(customer, 'lost');
      await eventually(async () =>
        expect((await call('GET', 'callback')).body).toMatchObject({
          queue_size: 1,
          failures: 1,
          dropped: { size: 0 },
        }),
      );
      expect((await call('GET', 'callback')).body).toMatchObject({
        oldest: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/),
        queue_bytes: expect.any(Number),
      });
      expect(await call('DELETE', 'callback')).toMatchObject({ status: 204, text: '' });
      expect((await call('GET', 'callback')).status).toBe(404);
      await announced('deleted');
      receiver.answer(204);
      system.clock.resume();
      system.clock.jump(2_000);
      await call('PUT', 'callback', { url: receiver.url });
      await system.value(customer, 'new');
      await eventually(() => expect(receiver.events('notifications')).toHaveLength(1));
    });
  });

  describe('PUT /v2/notification/websocket', () => {
    it('201 makes the channel, disconnected; 200 keeps it', async () => {
      const made = await call('PUT', 'websocket');
      expect(made).toMatchObject({ status: 201, body: { status: 'disconnected', queue_size: 0 } });
      expect((made.body as { serialization: unknown }).serialization).toEqual({
        type: 'v2',
        max_chunk_size: 10_000,
        cfg: {
          include_uid: false,
          include_timestamp: false,
          include_original_ep: false,
          deregistrations_as_object: false,
          use_endpoint_name: false,
        },
      });
      await system.value(customer, 1);
      await eventually(async () => expect((await call('GET', 'websocket')).body).toMatchObject({ queue_size: 1 }));
      const again = await call('PUT', 'websocket', { serialization: { type: 'v2', cfg: { include_uid: true } } });
      expect(again).toMatchObject({
        status: 200,
        body: { queue_size: 1, serialization: { cfg: { include_uid: true } } },
      });
      expect((await call('PUT', 'websocket', {})).body).toMatchObject({
        serialization: { cfg: { include_uid: true } },
      });
    });

    it.each(['application/json', 'application/x-www-form-urlencoded', 'json', ''])(
      'takes no body, and one with options, as "%s"',
      async (contentType) => {
        const headers = { 'content-type': contentType };
        const put = (body?: object): Promise<Answer> =>
          system.call(service, customer, 'PUT', 'websocket', body, { headers });
        expect((await put()).status).toBe(201);
        expect(await put({ serialization: { type: 'v2', max_chunk_size: '100' } })).toMatchObject({
          status: 200,
          body: { status: 'disconnected', serialization: { max_chunk_size: 100 } },
        });
      },
    );

    it('400 naming the kind that is in the way, as a token and as an object', async () => {
      await call('PUT', 'callback', { url: receiver.url });
      expect(await call('PUT', 'websocket')).toMatchObject({ status: 400, text: 'CALLBACK_CHANNEL_EXISTS' });
      const json = await system.call(
        service,
        customer,
        'PUT',
        'websocket',
        {},
        {
          headers: { accept: 'application/json' },
        },
      );
      expect(json.body).toMatchObject({ code: 400, message: expect.stringContaining('callback channel') });
      expect(await call('GET', 'pull')).toMatchObject({ status: 400, text: 'CALLBACK_CHANNEL_EXISTS' });
    });
  });

  it('a channel of another kind stays as it is, and no URL is called', async () => {
    const refused = async (method: string, path: string, token: string): Promise<void> => {
      const body = path === 'callback' ? { url: receiver.url } : undefined;
      expect(await call(method, path, body)).toMatchObject({ status: 400, text: token });
    };
    await call('PUT', 'websocket');
    await system.value(customer, 'kept');
    await eventually(async () => expect((await call('GET', 'websocket')).body).toMatchObject({ queue_size: 1 }));
    await refused('PUT', 'callback', 'WEBSOCKET_CHANNEL_EXISTS');
    await refused('PUT', 'pull', 'WEBSOCKET_CHANNEL_EXISTS');
    await refused('GET', 'pull?noWait=true', 'WEBSOCKET_CHANNEL_EXISTS');
    expect(await call('DELETE', 'pull')).toMatchObject({ status: 200, text: 'ALREADY_DELETED' });
    expect((await call('GET', 'websocket')).body).toMatchObject({ queue_size: 1 });
    expect((await call('DELETE', 'websocket')).status).toBe(204);
    expect((await call('GET', 'pull?noWait=true')).status).toBe(204);
    await refused('PUT', 'callback', 'PULL_CHANNEL_EXISTS');
    await refused('PUT', 'websocket', 'PULL_CHANNEL_EXISTS');
    expect((await call('GET', 'channel')).body).toEqual({ delivery_mechanism: 'LONG_POLLING' });
    expect(receiver.calls).toEqual([]);
  });

  describe('GET /v2/notification/channel', () => {
    it('404, then the kind', async () => {
      expect((await call('GET', 'channel')).status).toBe(404);
      await call('PUT', 'websocket');
      expect((await call('GET', 'channel')).body).toEqual({ delivery_mechanism: 'WEB_SOCKET' });
      expect((await call('DELETE', 'websocket')).status).toBe(204);
      await call('GET', 'pull?noWait=true');
      expect((await call('GET', 'channel')).body).toEqual({ delivery_mechanism: 'LONG_POLLING' });
      await call('DELETE', 'pull');
      await call('PUT', 'callback', { url: receiver.url });
      expect((await call('GET', 'channel')).body).toEqual({ delivery_mechanism: 'CALLBACK' });
    });
  });

  it('a deleted key has no channel any more', async () => {
    await call('PUT', 'websocket');
    await system.announceKey(customer, { status: 'deleted' });
    await eventually(async () => expect((await call('GET', 'websocket')).status).toBe(404));
    await announced('deleted');
  });

  it('keys of one account have channels of their own', async () => {
    const colleague = await system.customer(customer.accountId);
    await call('PUT', 'websocket');
    expect((await system.call(service, colleague, 'GET', 'websocket')).status).toBe(404);
    expect((await system.call(service, colleague, 'PUT', 'websocket')).status).toBe(201);
    await system.session(customer.accountId, 'registered', newId());
    for (const each of [customer, colleague])
      await eventually(async () =>
        expect((await system.call(service, each, 'GET', 'websocket')).body).toMatchObject({ queue_size: 1 }),
      );
  });

  // Last, because the clock is days ahead of events that come after.
  describe('the rules of time', () => {
    it('48 h without incoming data: the channel is gone', async () => {
      await call('PUT', 'websocket');
      const client = await new WebSocketClient({ url: service.url, key: customer.key }).opened();
      await eventually(async () =>
        expect((await call('GET', 'websocket')).body).toMatchObject({ status: 'connected' }),
      );
      system.clock.jump(23 * hourMs);
      await system.value(customer, 1);
      await eventually(() => expect(client.events('notifications')).toHaveLength(1));
      system.clock.jump(48 * hourMs + 1_000);
      await eventually(async () => expect((await call('GET', 'websocket')).status).toBe(404));
      await eventually(() => expect(client.closed).toMatchObject({ code: 1001 }));
      await announced('expired');
    });

    it('24 h without a socket, or 10 min without a poll: the channel is gone', async () => {
      await call('PUT', 'websocket');
      system.clock.jump(24 * hourMs + 1_000);
      await eventually(async () => expect((await call('GET', 'websocket')).status).toBe(404));
      await call('GET', 'pull?noWait=true');
      system.clock.jump(hourMs / 6 + 1_000);
      await eventually(async () => expect((await call('GET', 'channel')).status).toBe(404));
    });
  });
});
