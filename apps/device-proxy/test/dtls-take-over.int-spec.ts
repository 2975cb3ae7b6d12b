import { eventually, type SecureDevice, withKey } from '@lanyard/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { ReplicaSlots } from '../src/connections/replica-slots.js';
import { Listeners } from '../src/listeners/listeners.js';
import { ReplicaTime } from './replica-time.js';
import type { RunningProxy } from './running-proxy.js';
import { keyHex, path, SecureTestSystem } from './secure-test-system.js';
import { newKey, type TestSystem } from './test-system.js';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const handshakes = (proxy: RunningProxy): number =>
  proxy.app.get(Listeners, { strict: false }).dtls?.transport.server.counters()['handshake-started'] ?? 0;

/** The balancer sends the device's datagrams to another replica from now on. */
const reroute = (thing: SecureDevice, to: RunningProxy): void =>
  thing.dtls.talkTo({ host: '127.0.0.1', port: to.dtlsPort });

describe('a DTLS connection with an id', () => {
  let secured: SecureTestSystem;
  let system: TestSystem;
  let a: RunningProxy;
  let names = 0;

  beforeAll(async () => {
    secured = await SecureTestSystem.create('dtls-take-over', 'DTLS');
    ({ system } = secured);
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  const registered = async (at: RunningProxy) => {
    const name = `thing-${names++}`;
    const { deviceId, identity, credentialId } = await secured.directory(name);
    const thing = secured.device(name);
    await secured.connected(thing, withKey(identity, keyHex), at);
    expect(await thing.register()).toBe('2.01');
    const { value } = await secured.registered(name);
    const key = newKey(system.accountId);
    const command = (through: RunningProxy, asyncId: string, body: object) =>
      system.call(through, key, 'POST', `/v2/device-requests/${deviceId}?async-id=${asyncId}`, body);
    const subscribe = async (): Promise<void> => {
      await system.call(at, key, 'PUT', `/v2/subscriptions/${deviceId}/${path}`);
      await eventually(() => expect(thing.observed).toBe(true));
      await system.fact(system.values, (v) => v.deviceId === deviceId);
    };
    const reports = async (value: string): Promise<void> => {
      thing.report(value);
      const { audience } = await system.fact(
        system.values,
        (v) => v.deviceId === deviceId && v.item.payload === base64(value),
      );
      expect(audience).toBe(key.keyId);
    };
    const connectionId = (value.address ?? '').slice('coaps://'.length);
    return { thing, name, deviceId, credentialId, identity, key, command, subscribe, reports, connectionId };
  };

  const pair = async (): Promise<[RunningProxy, RunningProxy]> => {
    const n = names++;
    return [await secured.replica(`dp-a${n}`), await secured.replica(`dp-b${n}`)];
  };

  it('is stored before the device has the response to its registration', async () => {
    [a] = await pair();
    const { identity } = await secured.directory('stored');
    const thing = secured.device('stored');
    await secured.connected(thing, withKey(identity, keyHex), a);
    await thing.register();
    const { value } = await secured.registered('stored');
    expect(await system.isStored((value.address ?? '').slice('coaps://'.length))).toBe(true);
    thing.disconnect();
  });

  it('is stored as long as the registration lasts, before the device has the response', async () => {
    const [first] = await pair();
    const { connectionId, name, thing } = await registered(first);
    const days = 3;
    expect(await thing.register(name, days * 86_400)).toBe('2.01');
    expect(await system.storedForMs(connectionId)).toBeGreaterThan(days * 86_400_000);
  });

  it('is continued by another replica after a drain: no handshake, observations and commands continue', async () => {
    const [first, second] = await pair();
    const { thing, command, subscribe, reports } = await registered(first);
    await subscribe();
    await reports('31');
    await system.stop(first);
    const before = handshakes(second);
    await command(second, 'after-drain', { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
    reroute(thing, second);
    await reports('32');
    expect((await system.result('after-drain')).value).toMatchObject({ outcome: 'succeeded' });
    expect(await thing.update()).toBe('2.04');
    expect([handshakes(second), thing.connected]).toEqual([before, true]);
  });

  it('is continued when the lease of its replica has ended, and what that one was doing is not repeated', async () => {
    const time = new ReplicaTime();
    const first = await secured.replica(`dp-a${names++}`, time);
    const second = await secured.replica(`dp-b${names++}`);
    const { thing, command, subscribe, reports } = await registered(first);
    await subscribe();
    const nothing = (): void => undefined;
    let release = nothing;
    thing.beforeAnswer = () => new Promise((resolve) => (release = resolve));
    await command(first, 'in-flight', { method: 'POST', uri: '/3/0/4' });
    await command(first, 'behind', {
      method: 'PUT',
      uri: `/${path}`,
      'payload-b64': base64('9'),
      'content-type': 'text/plain',
    });
    await eventually(() => expect(release).not.toBe(nothing));
    time.end();
    await system.endLeases();
    await second.app.get(ReplicaSlots, { strict: false }).refresh();
    reroute(thing, second);
    await reports('41');
    thing.beforeAnswer = undefined;
    release();
    expect((await system.result('in-flight')).value.item).toMatchObject({ status: 504 });
    expect((await system.result('behind')).value).toMatchObject({ outcome: 'succeeded' });
    expect(thing.written).toEqual(['9']);
    await reports('42');
  });

  it('stays with its replica when its device is heard at another one; commands and values go through that', async () => {
    const [first, second] = await pair();
    const { thing, command, subscribe, reports } = await registered(first);
    await subscribe();
    await thing.dtls.rebind();
    reroute(thing, second);
    await reports('51');
    await command(first, 'through-another', { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
    expect((await system.result('through-another')).value).toMatchObject({ outcome: 'succeeded' });
    expect(await thing.update()).toBe('2.04');
    expect([handshakes(second), thing.connected]).toEqual([0, true]);
    await thing.dtls.rebind();
    reroute(thing, first);
    await reports('52');
  });

  it('is not continued when its credential was withdrawn in between', async () => {
    const [first, second] = await pair();
    const { thing, credentialId, connectionId } = await registered(first);
    await system.stop(first);
    await system.withdraw(credentialId);
    reroute(thing, second);
    await eventually(async () => {
      thing.update().catch(() => undefined);
      expect(await system.isStored(connectionId)).toBe(false);
    });
    await eventually(() => expect(thing.connected).toBe(false));
  });

  it.each(['stopped', 'killed'])(
    'is continued by the same replica after it was %s, before the device sends anything',
    async (how) => {
      const name = `dp-again${names++}`;
      const time = new ReplicaTime();
      const before = await secured.replica(name, time);
      const { thing, command, subscribe, reports } = await registered(before);
      await subscribe();
      if (how === 'stopped') await system.stop(before);
      else time.end();
      const after = await secured.replica(name);
      reroute(thing, after);
      await command(after, how, { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
      expect((await system.result(how)).value).toMatchObject({ outcome: 'succeeded' });
      await reports('71');
      expect([handshakes(after), thing.connected]).toEqual([0, true]);
    },
  );

  it('is continued by the same replica after a restart, with what waits there', async () => {
    const name = `dp-again${names++}`;
    let one = await secured.replica(name);
    const { thing, command, subscribe, reports } = await registered(one);
    await subscribe();
    await system.stop(one);
    one = await secured.replica(name);
    await command(one, 'waits', { method: 'GET', uri: `/${path}`, accept: 'text/plain' });
    reroute(thing, one);
    // An empty message, as devices send to keep a NAT open: it leads to the session as well.
    thing.dtls.send(Buffer.from('40000001', 'hex'));
    expect((await system.result('waits')).value).toMatchObject({ outcome: 'succeeded' });
    await reports('61');
  });
});
