import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId, type RedisClient } from '@lanyard/service';
import { eventually, withKey } from '@lanyard/testing';
import { REDIS_SUBSCRIBER } from '../src/sessions/redis-connections.js';
import { Sessions } from '../src/sessions/sessions.js';
import type { RunningProxy } from './running-proxy.js';
import { type TestSystem, newKey } from './test-system.js';
import { keyHex, path, SecureTestSystem } from './secure-test-system.js';

const transports = [
  ['TLS', /^coaps\+tcp:\/\/127\.0\.0\.1:\d+#[0-9a-f]+$/],
  ['DTLS', /^coaps:\/\/[0-9a-f]{16}$/],
  ['DTLS without connection ids', /^coaps:\/\/local-[0-9a-f]{16}$/],
] as const;

describe.each(transports)('devices over %s', (over, address) => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`secure-${over.replaceAll(' ', '-')}`, over);
    ({ system, proxy } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  it('registers, is read, written and observed with a pre-shared key', async () => {
    const { deviceId, identity } = await secured.directory('psk-1');
    const thing = secured.device('psk-1');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    expect((await secured.registered('psk-1')).value).toMatchObject({
      deviceId,
      address: expect.stringMatching(address),
    });
    const key = newKey(system.accountId);
    const command = (asyncId: string, body: object) =>
      system.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
    await command('read', { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
    expect((await system.result('read')).value.item).toMatchObject({
      status: 200,
      payload: Buffer.from('21.5').toString('base64'),
    });
    await command('write', {
      method: 'PUT',
      uri: `/${path}`,
      'content-type': 'text/plain',
      'payload-b64': Buffer.from('1'.repeat(3_000)).toString('base64'),
    });
    expect((await system.result('write')).value.item).toMatchObject({ status: 200 });
    expect(thing.written).toEqual(['1'.repeat(3_000)]);
    await system.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('22.5');
    const payload = Buffer.from('22.5').toString('base64');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
    expect(await thing.post(['dp'], [], '[{"n":"/3303/0/5700","v":23}]', 110)).toBe('2.04');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.cause === 'send');
  });

  it('need not say its name when the credential does, from LwM2M 1.1 on', async () => {
    const { deviceId, identity } = await secured.directory('unsaid');
    const thing = secured.device('unsaid');
    await secured.connected(thing, withKey(identity, keyHex));
    const register = (version: string) => thing.post(['rd'], ['lt=300', `lwm2m=${version}`], '</3/0>', 40);
    expect(await register('1.0')).toBe('4.00');
    expect(await register('1.1')).toBe('2.01');
    expect((await secured.registered('unsaid')).value).toMatchObject({ deviceId, endpointName: 'unsaid' });
  });

  it('observations end with the connection and are made again after it', async () => {
    const { deviceId, identity } = await secured.directory('psk-2');
    const thing = secured.device('psk-2');
    await secured.connected(thing, withKey(identity, keyHex));
    await thing.register();
    await secured.registered('psk-2');
    const key = newKey(system.accountId);
    await system.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await eventually(() => expect(thing.observed).toBe(true));
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    thing.disconnect();
    await eventually(() => expect(thing.connected).toBe(false));
    // What is asked meanwhile waits.
    await system.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=later`, {
      method: 'GET',
      uri: `/${path}`,
    });
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.update()).toBe('2.04');
    expect((await system.result('later')).value.item).toMatchObject({ status: 200 });
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('30.5');
    const payload = Buffer.from('30.5').toString('base64');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
  });

  it('values arrive, and observations stay, while the session is compared with Redis', async () => {
    const { deviceId, identity } = await secured.directory('psk-compared');
    const thing = secured.device('psk-compared');
    await secured.connected(thing, withKey(identity, keyHex));
    await thing.register();
    await secured.registered('psk-compared');
    const key = newKey(system.accountId);
    await system.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    const { store } = proxy.app.get(Sessions, { strict: false });
    const renewAll = store.renewAll.bind(store);
    // The comparison of all sessions fails, so each is compared when its device sends a message.
    store.renewAll = () => Promise.reject(new Error('Redis is away'));
    // As after a lost connection to Redis.
    proxy.app.get<RedisClient>(REDIS_SUBSCRIBER, { strict: false }).emit('ready');
    for (const value of ['25.5', '26.5']) {
      thing.report(value);
      const payload = Buffer.from(value).toString('base64');
      const { value: fact } = await system.fact(
        system.values,
        (v) => v.deviceId === deviceId && v.item.payload === payload,
      );
      expect(fact.audience).toEqual([key.keyId]);
    }
    store.renewAll = renewAll;
  });

  it('what was observed together is observed together again', async () => {
    const { deviceId, identity } = await secured.directory('psk-together');
    const thing = secured.device('psk-together');
    await secured.connected(thing, withKey(identity, keyHex));
    await thing.register();
    const names = JSON.stringify([{ n: `/${path}` }, { n: '/3/0/0' }]);
    const body = { method: 'FETCH', uri: '/', observe: true, 'payload-b64': Buffer.from(names).toString('base64') };
    const key = newKey(system.accountId);
    await system.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=together`, body);
    expect((await system.result('together')).value.item).toMatchObject({ status: 200 });
    thing.disconnect();
    await eventually(() => expect(thing.connected).toBe(false));
    thing.temperature = '31.5';
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.update()).toBe('2.04');
    const { value } = await system.fact(system.values, (v) => v.item.payload === 'MzEuNQ==');
    expect(value.audience).toEqual([key.keyId]);
    expect(thing.compositeRequests).toHaveLength(2);
  });

  it('a command sent at the moment its connection dies waits for the next one, without a retry to spend', async () => {
    const { deviceId, identity } = await secured.directory('psk-race');
    const thing = secured.device('psk-race');
    const tls = withKey(identity, keyHex);
    await secured.connected(thing, tls);
    await thing.register();
    const key = newKey(system.accountId);
    for (let round = 0; round < 16; round++) {
      const sent = system.call(
        proxy,
        key,
        'POST',
        `/v2/device-requests/${deviceId}?async-id=race-${round}&retry=0`,
        round % 2 === 0
          ? { method: 'GET', uri: `/${path}` }
          : { method: 'PUT', uri: `/${path}`, 'payload-b64': Buffer.from(String(round)).toString('base64') },
      );
      // Each time a little later: before it is queued, before it is sent, before it is answered.
      for (let turn = 0; turn < round * round; turn++) await new Promise((resolve) => setImmediate(resolve));
      thing.disconnect();
      expect((await sent).status).toBe(202);
      await secured.connected(thing, tls);
      expect(await thing.update()).toBe('2.04');
      expect((await system.result(`race-${round}`)).value).toMatchObject({
        outcome: 'succeeded',
        item: { status: 200 },
      });
    }
    expect(new Set(thing.written).size).toBe(8);
  });

  it('a session moves with its device to another replica, and is there again after a restart', async () => {
    const { deviceId, identity } = await secured.directory('psk-mover');
    const other = await secured.replica('dp-1');
    const thing = secured.device('psk-mover');
    await secured.connected(thing, withKey(identity, keyHex));
    await thing.register();
    await secured.registered('psk-mover');
    const key = newKey(system.accountId);
    await system.call(proxy, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    thing.disconnect();
    await secured.connected(thing, withKey(identity, keyHex), other);
    expect(await thing.update()).toBe('2.04');
    await eventually(() => expect(thing.observed).toBe(true));
    await system.stop(other);
    // A connection with an id outlives its replica: its device is not told.
    await eventually(() => expect(thing.connected).toBe(over === 'DTLS'));
    const again = await secured.replica('dp-1');
    await system.call(again, key, 'POST', `/v2/device-requests/${deviceId}?async-id=restarted`, {
      method: 'GET',
      uri: `/${path}`,
    });
    await secured.connected(thing, withKey(identity, keyHex), again);
    expect(await thing.update()).toBe('2.04');
    expect((await system.result('restarted')).value.item).toMatchObject({ status: 200 });
    await eventually(() => expect(thing.observed).toBe(true));
    thing.report('40.5');
    const payload = Buffer.from('40.5').toString('base64');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
    await system.stop(again);
  });
});

describe('listeners for streams', () => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    secured = await SecureTestSystem.create('streams');
    ({ system, proxy } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  it('plain TCP is for development: every device of the account may register', async () => {
    await system.lifecycle(newId(), 'tcp-1', 'created');
    const thing = secured.device('tcp-1');
    await thing.connect(proxy.tcpPort);
    await eventually(async () => expect(await thing.register()).toBe('2.01'));
    expect(await thing.update()).toBe('2.04');
  });

  it('peers that are malformed, half-open or too many leave the others alone', async () => {
    const { identity } = await secured.directory('psk-8');
    const sockets = Array.from({ length: 60 }, (_, i) => {
      const socket = connect({ host: '127.0.0.1', port: proxy.tlsPort });
      socket.on('error', () => undefined);
      if (i < 5) socket.write(Buffer.alloc(100, i));
      return socket;
    });
    const metrics = async (): Promise<string> => (await fetch(`${proxy.url}/metrics`)).text();
    const happened = async (event: string): Promise<boolean> =>
      new RegExp(`event="${event}",scheme="coaps[+]tcp"[^\n]* [1-9]`).test(await metrics());
    await eventually(async () => expect(await happened('connection-refused-by-limit')).toBe(true));
    await eventually(async () => expect(await happened('handshake-failed')).toBe(true));
    for (const socket of sockets) socket.destroy();
    const thing = secured.device('psk-8');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
  });
});
