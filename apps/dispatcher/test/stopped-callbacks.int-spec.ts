import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprintOf, hashSecret, newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { Client } from 'pg';
import { type Answer, type Customer, Landscape, numbers, payloads } from './landscape.js';

const hourMs = 3_600_000;

describe('a callback whose key was', () => {
  let landscape: Landscape;
  let replicas: RunningService[];
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    landscape = await Landscape.create('stopped-callbacks');
    replicas = [await landscape.startReplica('dispatcher-1'), await landscape.startReplica('dispatcher-2')];
  });

  afterAll(() => landscape?.drop());

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    customer = await landscape.customer();
  });

  afterEach(() => receiver.stop());

  const call = (method: string, path: string, body?: unknown, as = customer): Promise<Answer> =>
    landscape.call(replicas[0] as RunningService, as, method, path, body);

  const register = (as = customer, url = receiver.url): Promise<Answer> => call('PUT', 'callback', { url }, as);

  const shows = (state: object): Promise<unknown> =>
    eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject(state));

  const received = (by = receiver): string[] => payloads(by.events('notifications'));

  const reset = async (): Promise<Customer> => {
    const renewed = landscape.anotherSecret(customer);
    await landscape.announceKey(renewed);
    return renewed;
  };

  /** A value that was sent after everything else has arrived somewhere: every replica has had its chance. */
  const afterMark = async (): Promise<void> => {
    const other = await landscape.customer();
    const mark = await new CallbackReceiver().start();
    await landscape.call(replicas[1] as RunningService, other, 'PUT', 'callback', { url: mark.url });
    await landscape.value(other, 'mark');
    await eventually(() => expect(mark.messages).toHaveLength(1));
    await mark.stop();
  };

  it('rotated: goes on, during the overlap and after it', async () => {
    await register();
    const renewed = landscape.anotherSecret(customer);
    const hash = hashSecret(customer.key.slice(-32));
    const until = new Date(Date.now() + hourMs).toISOString();
    await landscape.announceKey(renewed, { previousHashes: [{ hash, until }] });
    await landscape.value(customer, 0);
    await eventually(() => expect(received()).toEqual(['0']));
    // Also who registers with the old secret meanwhile.
    await eventually(async () => expect(await register()).toMatchObject({ status: 200, body: { stopped: null } }));
    await landscape.announceKey(renewed);
    await afterMark();
    await landscape.value(customer, 1);
    await eventually(() => expect(received()).toEqual(['0', '1']));
    await shows({ stopped: null });
  });

  it('reset: nothing is sent any more, everything is queued, until it is registered with the new secret', async () => {
    await register();
    await landscape.value(customer, 0);
    await eventually(() => expect(received()).toEqual(['0']));
    const renewed = await reset();
    await shows({ stopped: 'key_reset' });
    await landscape.values(customer, 1, 5);
    await shows({ queue_size: 5, failures: 0, failing_since: null, stopped: 'key_reset' });
    await afterMark();
    expect(received()).toEqual(['0']);

    const own = await new CallbackReceiver().start();
    expect(await register(renewed, own.url)).toMatchObject({ status: 200, body: { stopped: null } });
    await eventually(() => expect(received(own).sort()).toEqual(numbers(1, 5)));
    expect(received()).toEqual(['0']);
    await own.stop();
  });

  it('reset while a run of batches is under way: it ends with the request in flight', async () => {
    await call('PUT', 'callback', { url: receiver.url, serialization: { max_chunk_size: 1 } });
    let answer: (() => void) | undefined;
    receiver.answer((_, response) => void (answer = () => void response.writeHead(204).end()));
    const deviceId = newId();
    await landscape.values(customer, 0, 5, deviceId);
    await shows({ queue_size: 5 });
    await eventually(() => expect(receiver.deliveries).toHaveLength(1));
    await reset();
    await shows({ stopped: 'key_reset' });
    answer?.();
    await shows({ queue_size: 4 });
    await afterMark();
    expect(receiver.deliveries).toHaveLength(1);
  });

  it.each([
    ['switched off', { status: 'inactive' as const }],
    ['taken out of its groups', { permissions: [] }],
  ])('%s: it is stopped until the key may again', async (_, fields) => {
    await register();
    await landscape.announceKey(customer, fields);
    await shows({ stopped: 'key_revoked' });
    await landscape.value(customer, 'kept');
    await shows({ queue_size: 1 });
    await afterMark();
    expect(receiver.deliveries).toHaveLength(0);
    await landscape.announceKey(customer);
    await eventually(() => expect(received()).toEqual(['kept']));
    await shows({ stopped: null });
  });

  it('changed in some other way: it goes on', async () => {
    await register();
    await landscape.announceKey(customer, { tier: 'free', groups: [newId()] });
    await landscape.value(customer, 'on');
    await eventually(() => expect(received()).toEqual(['on']));
    await shows({ stopped: null });
  });

  it('reset while its URL was verified: 401, and what was registered stays, stopped', async () => {
    await register();
    const thief = await new CallbackReceiver().start();
    let answer: (() => void) | undefined;
    thief.answer((_, response) => void (answer = () => void response.writeHead(204).end()));
    const stealing = register(customer, thief.url);
    await eventually(() => expect(thief.calls).toHaveLength(1));
    const renewed = await reset();
    await shows({ stopped: 'key_reset' });
    await register(renewed);
    answer?.();
    expect(await stealing).toMatchObject({ status: 401 });
    await landscape.value(customer, 'mine');
    await eventually(() => expect(received()).toEqual(['mine']));
    expect(thief.calls).toHaveLength(1);
    await thief.stop();
  });

  it('reset: the old secret registers nothing more, also when a gateway still lets it pass', async () => {
    const renewed = await reset();
    await eventually(async () => expect((await register(renewed)).status).toBe(200));
    expect((await register(customer, receiver.url)).status).toBe(401);
    await shows({ stopped: null });
  });

  it('reset, and registered before that is announced: the new secret counts, the old one does not', async () => {
    await register();
    const renewed = landscape.anotherSecret(customer);
    const own = await new CallbackReceiver().start();
    const registering = register(renewed, own.url);
    await landscape.announceKey(renewed);
    expect(await registering).toMatchObject({ status: 200, body: { url: own.url, stopped: null } });
    await landscape.value(customer, 'late');
    await eventually(() => expect(received(own)).toEqual(['late']));
    expect(receiver.deliveries).toHaveLength(0);
    await own.stop();
  });

  it('deleted while its URL was verified: 401, and there is no channel', async () => {
    let answer: (() => void) | undefined;
    receiver.answer((_, response) => void (answer = () => void response.writeHead(204).end()));
    const registering = register();
    await eventually(() => expect(receiver.calls).toHaveLength(1));
    const witness = await landscape.customer(customer.accountId);
    await call('PUT', 'websocket', {}, witness);
    await landscape.announceKey(customer, { status: 'deleted' });
    await landscape.announceKey(witness, { status: 'deleted' });
    await eventually(async () => expect((await call('GET', 'websocket', undefined, witness)).status).toBe(404));
    answer?.();
    await eventually(async () => expect((await registering).status).toBe(401));
    expect((await call('GET', 'callback')).status).toBe(404);
  });

  it('reset while PostgreSQL lets nobody change the channel: no replica calls its URL until that is done', async () => {
    await register();
    const client = new Client({ connectionString: landscape.isolation.databaseUrl });
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [0xd15b, customer.keyId]);
    await reset();
    const other = await landscape.customer();
    await call('PUT', 'websocket', {}, other);
    await landscape.announceKey(other, { status: 'deleted' });
    await eventually(async () => expect((await call('GET', 'websocket', undefined, other)).status).toBe(404));
    await landscape.value(customer, 'held back');
    await shows({ queue_size: 1, stopped: null });
    await afterMark();
    expect(receiver.deliveries).toHaveLength(0);
    await client.end();
    await shows({ queue_size: 1, stopped: 'key_reset' });
    expect(receiver.deliveries).toHaveLength(0);
  });

  it('reset: a Redis that forgot everything, and signing secrets that change, start nothing', async () => {
    await register();
    await reset();
    await shows({ stopped: 'key_reset' });
    await call('POST', 'callback/signing-secrets');
    const keys = await landscape.redis.keys(`${landscape.isolation.redisPrefix}*`);
    await landscape.redis.del(...keys);
    await landscape.value(customer, 'kept');
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ queue_size: 1 }), {
      timeoutMs: 30_000,
    });
    await afterMark();
    expect(receiver.deliveries).toHaveLength(0);
    await shows({ stopped: 'key_reset', queue_size: 1 });
  }, 60_000);

  it('reset or switched off while no dispatcher was running: found at the start', async () => {
    const [other, stranger] = [await landscape.customer(), await landscape.customer()];
    for (const each of [customer, other, stranger]) await register(each);
    const rows = await landscape.query('SELECT registered_with FROM dispatcher.channels WHERE key_id = $1', [
      customer.keyId,
    ]);
    expect(rows).toEqual([{ registered_with: fingerprintOf(hashSecret(customer.key.slice(-32))) }]);
    for (const replica of replicas) await replica.stop();
    const renewed = await reset();
    await landscape.announceKey(other, { status: 'inactive' });
    await landscape.values(customer, 0, 3);
    await landscape.value(other, 'off');
    await landscape.value(stranger, 'on');
    replicas = [await landscape.startReplica('dispatcher-3')];
    await eventually(() => expect(received()).toEqual(['on']));
    await shows({ stopped: 'key_reset', queue_size: 3 });
    expect((await call('GET', 'callback', undefined, other)).body).toMatchObject({ stopped: 'key_revoked' });
    await register(renewed);
    await eventually(() => expect(received().sort()).toEqual([...numbers(0, 3), 'on']));
  }, 60_000);

  // Last, because it moves the time for all.
  it('reset 24 h ago: the channel is gone', async () => {
    await register();
    await reset();
    await shows({ stopped: 'key_reset' });
    landscape.clock.jump(23 * hourMs);
    expect((await call('GET', 'callback')).status).toBe(200);
    landscape.clock.jump(hourMs);
    await eventually(async () => expect((await call('GET', 'callback')).status).toBe(404));
    await eventually(() => expect(landscape.channels.get(customer.keyId)).toMatchObject({ status: 'expired' }));
  });
});
