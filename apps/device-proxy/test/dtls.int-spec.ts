import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { certificateAuthority, eventually, SecureDevice, withCertificate, withKey } from '@lanyard/testing';
import { Relay } from './relay.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex, path, SecureTestSystem } from './secure-test-system.js';
import { newKey, type TestSystem } from './test-system.js';

/** Of the listener, by event. */
const countsOf = async (proxy: RunningProxy): Promise<Map<string, number>> => {
  const text = await (await fetch(`${proxy.url}/metrics`)).text();
  const lines = text.matchAll(
    /^lanyard_device_proxy_dtls_(?:events_total|held)\{(?:event|what)="([^"]+)".*\} (\d+)$/gm,
  );
  return new Map([...lines].map(([, name = '', count]) => [name, Number(count)]));
};

/** A handshake message, and its type. */
const isClientHello = (datagram: Buffer): boolean => datagram[0] === 22 && datagram[13] === 1;

const held = (): { release: () => void; until: Promise<void> } => {
  let release = (): void => undefined;
  const until = new Promise<void>((resolve) => (release = resolve));
  return { release, until };
};

describe.each(['DTLS', 'DTLS without connection ids'] as const)('a device over %s whose address changes', (over) => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    secured = await SecureTestSystem.create(`rebinding-${over.length}`, over);
    ({ system, proxy } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  it('keeps its session, its observation and the command that waits for its answer', async () => {
    const { deviceId, identity } = await secured.directory('mover');
    const thing = secured.device('mover');
    await secured.connected(thing, withKey(identity, keyHex));
    expect(await thing.register()).toBe('2.01');
    const { address, remoteAddress } = (await secured.registered('mover')).value;
    expect(remoteAddress).toBe(`127.0.0.1:${thing.dtls.port}`);
    const key = newKey(system.accountId);
    await system.subscribe(proxy, key, deviceId, `/${path}`);
    await system.fact(system.subscriptions, (v) => v.deviceId === deviceId && v.status === 'confirmed');
    const answer = held();
    const asked = held();
    thing.beforeAnswer = () => {
      asked.release();
      return answer.until;
    };
    const body = { method: 'GET', uri: `/${path}`, accept: 'text/plain' };
    await system.call(proxy, key, 'POST', `/v2/device-requests/${deviceId}?async-id=pending`, body);
    await asked.until;
    const before = thing.dtls.port;
    await thing.dtls.rebind();
    expect(thing.dtls.port).not.toBe(before);
    delete thing.beforeAnswer;
    // Without an id its records are not known at the new port: it notices, and handshakes again.
    if (over !== 'DTLS') await thing.dtls.connect();
    expect(await thing.update()).toBe('2.04');
    const heardFrom = `127.0.0.1:${thing.dtls.port}`;
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.remoteAddress === heardFrom);
    answer.release();
    expect((await system.result('pending')).value).toMatchObject({ outcome: 'succeeded', item: { status: 200 } });
    thing.report('33.5');
    const payload = Buffer.from('33.5').toString('base64');
    await system.fact(system.values, (v) => v.deviceId === deviceId && v.item.payload === payload);
    const counts = await countsOf(proxy);
    expect([counts.get('handshake-completed'), counts.get('connection-moved')]).toEqual(
      over === 'DTLS' ? [1, 1] : [2, 0],
    );
    const after = await system.storedSession(deviceId);
    expect(after.address === address).toBe(over === 'DTLS');
    // The former connection is not kept beside the new one.
    expect(counts.get('connections')).toBe(1);
  });
});

describe('the DTLS listener', () => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let proxy: RunningProxy;
  const relays: Relay[] = [];

  beforeAll(async () => {
    secured = await SecureTestSystem.create('dtls-listener', 'DTLS without connection ids');
    ({ system, proxy } = secured);
  });
  afterEach(async () => {
    await secured.closeDevices();
    await Promise.all(relays.splice(0).map((relay) => relay.close()));
  });
  afterAll(() => secured.close());

  const relay = async (to = proxy): Promise<Relay> => {
    const one = await Relay.to(to.dtlsPort);
    relays.push(one);
    return one;
  };

  const registeredBehind = async (between: Relay, name: string): Promise<SecureDevice> => {
    const { identity } = await secured.directory(name);
    const thing = secured.device(name);
    await system.knows(proxy, name);
    await eventually(() => thing.connect(between.port, withKey(identity, keyHex)));
    expect(await thing.register()).toBe('2.01');
    return thing;
  };

  it('passes no repeated, forged or damaged record to CoAP', async () => {
    const between = await relay();
    const thing = await registeredBehind(between, 'target');
    const send = (value: number): Promise<string> => thing.post(['dp'], [], `[{"n":"/${path}","v":${value}}]`, 110);
    expect(await send(1)).toBe('2.04');
    const record = between.sent.at(-1) as Buffer;
    const messages = async (): Promise<number> => {
      const text = await (await fetch(`${proxy.url}/metrics`)).text();
      return Number(/coap_events_total\{event="datagram-received",scheme="coaps"[^}]*\} (\d+)/.exec(text)?.[1]);
    };
    const counts = await countsOf(proxy);
    const before = await messages();
    for (let copy = 0; copy < 20; copy++) between.inject(record);
    for (let at = 0; at < record.length; at++) {
      const damaged = Buffer.from(record);
      // Also with a sequence number that was not used yet.
      damaged[9] = 1;
      damaged[at] = (damaged[at] ?? 0) ^ 0x80;
      between.inject(damaged);
    }
    await eventually(async () => {
      const now = await countsOf(proxy);
      expect((now.get('record-replayed') ?? 0) - (counts.get('record-replayed') ?? 0)).toBeGreaterThanOrEqual(20);
      expect((now.get('record-unauthentic') ?? 0) - (counts.get('record-unauthentic') ?? 0)).toBeGreaterThan(50);
    });
    expect(await messages()).toBe(before);
    expect(await send(2)).toBe('2.04');
  });

  it('a handshake from the address of a connection displaces it only when it succeeds', async () => {
    const between = await relay();
    const thing = await registeredBehind(between, 'resident');
    const { identity } = await secured.directory('neighbour');
    // The server does not tell it so: it gives up by itself.
    const impostor = new SecureDevice('neighbour', { connectionId: false, handshakeMs: 3_000 });
    secured.devices.push(impostor);
    for (const wrong of [withKey(identity, 'ff'.repeat(16)), withKey('stranger', keyHex)])
      await expect(impostor.connect(between.port, wrong)).rejects.toThrow();
    expect(await thing.update()).toBe('2.04');
    const neighbour = secured.device('neighbour');
    await system.knows(proxy, 'neighbour');
    await eventually(() => neighbour.connect(between.port, withKey(identity, keyHex)));
    expect(await neighbour.register()).toBe('2.01');
    await thing.dtls.connect();
    expect(await thing.update()).toBe('2.04');
  });

  it('a flood of handshakes from one address holds a bounded number of them, and hinders no other address', async () => {
    const { identity } = await secured.directory('elsewhere');
    await system.knows(proxy, 'elsewhere');
    const wrong = withKey(identity, 'ff'.repeat(16));
    const flooders = Array.from(
      { length: 40 },
      () => new SecureDevice('flooder', { connectionId: false, localHost: '127.0.0.3' }),
    );
    const flood = Promise.allSettled(
      flooders.flatMap((one) => Array.from({ length: 5 }, () => one.connect(proxy.dtlsPort, wrong))),
    );
    const calm = new SecureDevice('elsewhere', { connectionId: false, localHost: '127.0.0.2' });
    secured.devices.push(calm);
    await eventually(() => calm.connect(proxy.dtlsPort, withKey(identity, keyHex)));
    expect(await calm.register()).toBe('2.01');
    const counts = await countsOf(proxy);
    expect(counts.get('handshakes')).toBeLessThanOrEqual(100);
    expect((await flood).every(({ status }) => status === 'rejected')).toBe(true);
    expect((await countsOf(proxy)).get('handshake-refused')).toBeGreaterThan(0);
    await Promise.all(flooders.map((one) => one.close()));
  });

  it('drops datagrams of any size and content, and serves the next one', async () => {
    const between = await relay();
    const thing = await registeredBehind(between, 'survivor');
    const record = between.sent.at(-1) as Buffer;
    const header = record.subarray(0, 11);
    for (const bytes of [0, 1, 12, 1_500, 16_500, 65_507]) {
      between.inject(Buffer.alloc(bytes));
      between.inject(randomBytes(bytes));
      if (bytes < 13) continue;
      const oversized = Buffer.concat([header, Buffer.alloc(2), randomBytes(bytes - 13)]);
      oversized.writeUInt16BE(bytes - 13, 11);
      between.inject(oversized);
    }
    expect(await thing.update()).toBe('2.04');
    // A body of several records arrives in blocks.
    const { deviceId } = (await secured.registered('survivor')).value;
    const payload = Buffer.from('9'.repeat(20_000)).toString('base64');
    const body = { method: 'PUT', uri: `/${path}`, 'content-type': 'text/plain', 'payload-b64': payload };
    await system.call(proxy, newKey(system.accountId), 'POST', `/v2/device-requests/${deviceId}?async-id=large`, body);
    expect((await system.result('large')).value.item).toMatchObject({ status: 200 });
    expect(thing.written.at(-1)).toHaveLength(20_000);
  });

  it.each(['pre-shared key', 'certificate of a trusted issuer'])(
    'repeats the flight of a resumption by the timer of the device, which has a %s',
    async (kind) => {
      const name = kind === 'pre-shared key' ? 'patient-psk' : 'patient-x509';
      const deviceId = newId();
      await system.lifecycle(deviceId, name, 'created', { handshakeTimerMs: 1_000 });
      const authority = certificateAuthority('Patience');
      if (kind === 'pre-shared key') await system.credential({ deviceId, identity: name, key: keyHex });
      else await system.credential({ kind: 'authority', enrolment: false, certificate: authority.certificate });
      // The listener's own timer is longer than the test waits.
      const slow = await secured.certified(`dp-${name}`, { handshakeTimerMs: 60_000 });
      await system.knows(slow, name);
      const between = await relay(slow);
      const thing = secured.device(name);
      const security =
        kind === 'pre-shared key'
          ? withKey(name, keyHex)
          : withCertificate(authority.issue(name), secured.server.certificate);
      await eventually(() => thing.connect(between.port, security));
      between.passes = isClientHello;
      await thing.dtls.connect();
      const repeated = async (): Promise<number> => (await countsOf(slow)).get('retransmission') ?? 0;
      const before = await repeated();
      await eventually(async () => expect(await repeated()).toBeGreaterThan(before), { timeoutMs: 30_000 });
      await system.stop(slow);
    },
  );

  it('has room for a bounded number of connections of one address', async () => {
    const { identity } = await secured.directory('many');
    const few = await system.proxy('dp-few', {
      dtls: {
        limits: {
          connectionsMax: 10,
          connectionsPerAddressMax: 2,
          handshakesMax: 10,
          handshakesPerAddressMax: 10,
          handshakesPerAddressPerSecond: 100,
          idleMs: 300,
        },
      },
    });
    const [first, second, third] = [secured.device('many'), secured.device('many'), secured.device('many')];
    await secured.connected(first as SecureDevice, withKey(identity, keyHex), few);
    // At once: on a busy machine, the handshake of the other one takes longer than a connection may be idle.
    expect(await first?.register()).toBe('2.01');
    await secured.connected(second as SecureDevice, withKey(identity, keyHex), few);
    const late = secured.connect(third as SecureDevice, withKey(identity, keyHex), few);
    // The connection of the registered device stays; the other one is idle, and makes room.
    await late;
    await eventually(() => expect([first?.connected, second?.connected]).toEqual([true, false]));
    expect(await first?.update()).toBe('2.04');
    await system.stop(few);
    await eventually(() => expect(first?.connected).toBe(false));
  });
});
