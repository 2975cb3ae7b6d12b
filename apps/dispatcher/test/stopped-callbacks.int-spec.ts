import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { fingerprintOf, hashSecret, newId, type RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { Client } from 'pg';
import { KeyDirectory } from '../src/keys/key-directory.js';
import { type Answer, type Customer, TestSystem, numbers, payloads } from './test-system.js';

const hourMs = 3_600_000;

describe('a callback whose key was', () => {
  let system: TestSystem;
  let replicas: RunningService[];
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('stopped-callbacks');
    replicas = [await system.startReplica('dispatcher-1'), await system.startReplica('dispatcher-2')];
  });

  afterAll(() => system?.drop());

  beforeEach(async () => {
    receiver = await new CallbackReceiver().start();
    customer = await system.customer();
  });

  afterEach(() => receiver.stop());

  const call = (method: string, path: string, body?: unknown, as = customer): Promise<Answer> =>
    system.call(replicas[0] as RunningService, as, method, path, body);

  const register = (as = customer, url = receiver.url): Promise<Answer> => call('PUT', 'callback', { url }, as);

  const shows = (state: object): Promise<unknown> =>
    eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject(state));

  const received = (by = receiver): string[] => payloads(by.events('notifications'));

  const reset = async (): Promise<Customer> => {
    const renewed = system.anotherSecret(customer);
    await system.announceKey(renewed);
    return renewed;
  };

  /** A value that was sent after everything else has arrived somewhere: every replica has had its chance. */
  const afterMark = async (): Promise<void> => {
    const other = await system.customer();
    const mark = await new CallbackReceiver().start();
    await system.call(replicas[1] as RunningService, other, 'PUT', 'callback', { url: mark.url });
    await system.value(other, 'mark');
    await eventually(() => expect(mark.messages).toHaveLength(1));
    await mark.stop();
  };

  it('rotated: continues, during the overlap and after it', async () => {
    await register();
    const renewed = system.anotherSecret(customer);
    const hash = hashSecret(customer.key.slice(-32));
    const until = new Date(Date.now() + hourMs).toISOString();
    await system.announceKey(renewed, { previousHashes: [{ hash, until }] });
    await system.value(customer, 0);
    await eventually(() => expect(received()).toEqual(['0']));
    // Also who registers with the old secret meanwhile.
    await eventually(async () => expect(await register()).toMatchObject({ status: 200, body: { stopped: null } }));
    await system.announceKey(renewed);
    await afterMark();
    await system.value(customer, 1);
    await eventually(() => expect(received()).toEqual(['0', '1']));
    await shows({ stopped: null });
  });

  it('one of two access keys of an application, and the newest was deleted: continues', async () => {
    await register();
    const second = system.anotherSecret(customer);
    const hash = hashSecret(customer.key.slice(-32));
    await system.announceKey(second, { previousHashes: [{ hash, until: '9999-12-31T23:59:59Z' }] });
    await afterMark();
    await system.announceKey(customer);
    await afterMark();
    await system.value(customer, 0);
    await eventually(() => expect(received()).toEqual(['0']));
    await shows({ stopped: null });
  });

  it('reset: nothing is sent any more, everything is queued, until it is registered with the new secret', async () => {
    await register();
    await system.value(customer, 0);
    await eventually(() => expect(received()).toEqual(['0']));
    const renewed = await reset();
    await shows({ stopped: 'key_reset' });
    await system.values(customer, 1, 5);
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
    await system.values(customer, 0, 5, deviceId);
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
    await system.announceKey(customer, fields);
    await shows({ stopped: 'key_revoked' });
    await system.value(customer, 'kept');
    await shows({ queue_size: 1 });
    await afterMark();
    expect(receiver.deliveries).toHaveLength(0);
    await system.announceKey(customer);
    await eventually(() => expect(received()).toEqual(['kept']));
    await shows({ stopped: null });
  });

  it('changed in some other way: it continues', async () => {
    await register();
    await system.announceKey(customer, { tier: 'free', groups: [newId()] });
    await system.value(customer, 'on');
    await eventually(() => expect(received()).toEqual(['on']));
    await shows({ stopped: null });
  });

  it('announced again as it is, as when Kafka is read again: nothing has to be decided', async () => {
    const keys = (replicas[0] as RunningService).app.get(KeyDirectory);
    const { keyId } = customer;
    const revision = (): number => keys.stateOf(keyId)?.revision ?? 0;
    await eventually(() => revision() > 0);
    const changes: number[] = [];
    keys.onChange((changed) => void (changed === keyId && changes.push(revision())));
    const before = revision();
    await system.announceKey(customer, { revision: before });
    await system.announceKey(customer);
    await eventually(() => revision() > before);
    expect(changes).toEqual([revision()]);
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
    await system.value(customer, 'mine');
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
    const renewed = system.anotherSecret(customer);
    const own = await new CallbackReceiver().start();
    const waitAsUsual = system.waitForKeys(replicas[0] as RunningService);
    const registering = register(renewed, own.url).finally(waitAsUsual);
    await system.announceKey(renewed);
    expect(await registering).toMatchObject({ status: 200, body: { url: own.url, stopped: null } });
    await system.value(customer, 'late');
    await eventually(() => expect(received(own)).toEqual(['late']));
    expect(receiver.deliveries).toHaveLength(0);
    await own.stop();
  });

  it('deleted while its URL was verified: 401, and there is no channel', async () => {
    let answer: (() => void) | undefined;
    receiver.answer((_, response) => void (answer = () => void response.writeHead(204).end()));
    const registering = register();
    await eventually(() => expect(receiver.calls).toHaveLength(1));
    const witness = await system.customer(customer.accountId);
    await call('PUT', 'websocket', {}, witness);
    await system.announceKey(customer, { status: 'deleted' });
    await system.announceKey(witness, { status: 'deleted' });
    await eventually(async () => expect((await call('GET', 'websocket', undefined, witness)).status).toBe(404));
    answer?.();
    await eventually(async () => expect((await registering).status).toBe(401));
    expect((await call('GET', 'callback')).status).toBe(404);
  });

  it('reset while PostgreSQL locks the channel: no replica calls its URL until the change is done', async () => {
    await register();
    const client = new Client({ connectionString: system.isolation.databaseUrl });
    await client.connect();
    await client.query('SELECT pg_advisory_lock($1, hashtext($2))', [0xd15b, customer.keyId]);
    await reset();
    const other = await system.customer();
    await call('PUT', 'websocket', {}, other);
    await system.announceKey(other, { status: 'deleted' });
    await eventually(async () => expect((await call('GET', 'websocket', undefined, other)).status).toBe(404));
    await system.value(customer, 'held back');
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
    const keys = await system.redis.keys(`${system.isolation.redisPrefix}*`);
    await system.redis.del(...keys);
    await system.value(customer, 'kept');
    await eventually(async () => expect((await call('GET', 'callback')).body).toMatchObject({ queue_size: 1 }));
    await afterMark();
    expect(receiver.deliveries).toHaveLength(0);
    await shows({ stopped: 'key_reset', queue_size: 1 });
  });

  it('reset or switched off while no dispatcher was running: found at the start', async () => {
    const [other, stranger] = [await system.customer(), await system.customer()];
    for (const each of [customer, other, stranger]) await register(each);
    const rows = await system.query('SELECT registered_with FROM dispatcher.channels WHERE key_id = $1', [
      customer.keyId,
    ]);
    expect(rows).toEqual([{ registered_with: fingerprintOf(hashSecret(customer.key.slice(-32))) }]);
    for (const replica of replicas) await replica.stop();
    const renewed = await reset();
    await system.announceKey(other, { status: 'inactive' });
    await system.values(customer, 0, 3);
    await system.value(other, 'off');
    await system.value(stranger, 'on');
    replicas = [await system.startReplica('dispatcher-3')];
    await eventually(() => expect(received()).toEqual(['on']));
    await shows({ stopped: 'key_reset', queue_size: 3 });
    expect((await call('GET', 'callback', undefined, other)).body).toMatchObject({ stopped: 'key_revoked' });
    await register(renewed);
    await eventually(() => expect(received().sort()).toEqual([...numbers(0, 3), 'on']));
  });

  // Last, because it moves the time for all.
  it('reset 24 h ago: the channel is gone', async () => {
    await register();
    await reset();
    await shows({ stopped: 'key_reset' });
    system.clock.jump(23 * hourMs);
    expect((await call('GET', 'callback')).status).toBe(200);
    system.clock.jump(hourMs);
    await eventually(async () => expect((await call('GET', 'callback')).status).toBe(404));
    await eventually(() => expect(system.channels.get(customer.keyId)).toMatchObject({ status: 'expired' }));
  });
});
