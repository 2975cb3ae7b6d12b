import { KafkaProducer } from '@lanyard/kafka';
import { formatTimestamp, newId } from '@lanyard/service';
import { eventually, SecureDevice, TestClock } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SessionFacts } from '../src/sessions/session-facts.js';
import { Sessions } from '../src/sessions/sessions.js';
import { DeviceLinks } from '../src/transport/device-links.js';
import type { RunningProxy } from './running-proxy.js';
import { TestLwm2mGateway } from './test-lwm2m-gateway.js';
import { TestSystem, newKey } from './test-system.js';

/** Knows its timers that are still to run. */
class WatchedClock extends TestClock {
  readonly pending = new Set<object>();

  override after(delayMs: number, work: () => void): { cancel(): void } {
    const key = {};
    this.pending.add(key);
    const timer = super.after(delayMs, () => {
      this.pending.delete(key);
      work();
    });
    const cancel = (): void => {
      this.pending.delete(key);
      timer.cancel();
    };
    return { cancel };
  }
}

describe('time', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let other: RunningProxy;
  const clock = new TestClock(Date.now());

  beforeAll(async () => {
    system = await TestSystem.create('time');
    proxy = await system.proxy('dp-0', { clock });
    other = await system.proxy('dp-1', { clock });
  });
  afterAll(() => system.close());

  const advance = (seconds: number): Promise<void> => clock.advance(seconds * 1000);
  /** Sweeps run on the clock, their work waits for the infrastructure: time advances a little until it is done. */
  const passing = <T>(attempt: () => T | Promise<T>): Promise<T> =>
    eventually(async () => {
      await advance(1);
      return attempt();
    });

  it('a command accepted by one replica runs at once on the other, which has the device: no time passes', async () => {
    const app = newKey(system.accountId);
    const deviceId = await system.register(system.thing(proxy, 'elsewhere'));
    const path = `/v2/device-requests/${deviceId}?async-id=cross`;
    const reply = await system.call(other, app, 'POST', path, { method: 'GET', uri: '/3303/0/5700' });
    expect(reply.status).toBe(202);
    expect((await system.result('cross')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('a session expires one lifetime and one MAX_TRANSMIT_WAIT after the last update, once', async () => {
    const expiry = (deviceId: string) =>
      passing(() => system.fact(system.sessions, (v) => v.deviceId === deviceId && v.change === 'expired', 200));
    const thing = system.thing(proxy, 'mortal', { lifetimeSeconds: 60 });
    const deviceId = await system.register(thing);
    const silentId = await system.register(system.thing(proxy, 'mortal-silent', { lifetimeSeconds: 60 }));
    await advance(50);
    const updatedMs = clock.now();
    await thing.device.update();
    await advance(60 + 93 - 50);
    // One that expires too early does so with this one, or before it.
    await expiry(silentId);
    await clock.advance(Math.max(0, updatedMs + 150_000 - clock.now()));
    const { value, audience } = await expiry(deviceId);
    expect([value.item, value.reason, audience]).toEqual([{ ep: deviceId }, 'lifetime', '*']);
    expect(Date.parse(value.occurredAt) - updatedMs).toBeGreaterThanOrEqual((60 + 93) * 1_000);
    await expect(thing.device.update()).rejects.toThrow('4.04');
    await advance(120);
    // Another end of that session would be announced before the next one begins.
    expect(await system.register(thing)).toBe(deviceId);
    expect(system.sessions.filter(({ value: v }) => v.deviceId === deviceId && v.change === 'expired')).toHaveLength(1);
  });

  it('a session expires as soon after its lifetime as the grace of the replica says', async () => {
    const hasty = await system.proxy('dp-hasty', { clock, expiryGraceMs: 5_000 });
    const registered = await system.register(system.thing(hasty, 'short-registered', { lifetimeSeconds: 8 }));
    const updating = system.thing(hasty, 'short-updated', { lifetimeSeconds: 8 });
    const updated = await system.register(updating);
    const beganMs = clock.now();
    await advance(5);
    await updating.device.update();
    const expired = (deviceId: string) =>
      system.sessions.find(({ value }) => value.deviceId === deviceId && value.change === 'expired')?.value;
    await advance(7);
    expect([registered, updated].map(expired)).toEqual([undefined, undefined]);
    await advance(2);
    await passing(() => expect(expired(registered)).toBeDefined());
    await advance(6);
    await passing(() => expect(expired(updated)).toBeDefined());
    // With the usual grace, it would expire after 106 s.
    expect(Date.parse(expired(updated)!.occurredAt) - beganMs).toBeLessThan(100_000);
  });

  const sessionsOf = ({ app }: RunningProxy): Sessions => app.get(Sessions, { strict: false });
  const endsOf = (deviceId: string) =>
    system.sessions
      .map(({ value }) => value)
      .filter((v) => v.deviceId === deviceId && (v.change === 'deregistered' || v.change === 'expired'));

  it('a device whose registration could not be announced, and that does not register again, expires', async () => {
    const mute = await system.proxy('dp-mute', { clock });
    const thing = system.thing(mute, 'mute', { lifetimeSeconds: 60 });
    const deviceId = await system.register(thing);
    const producer = mute.app.get(KafkaProducer, { strict: false });
    await producer.disconnect();
    await expect(thing.device.register()).rejects.toThrow('5.03');
    await producer.connect();
    expect(sessionsOf(mute).get(deviceId)).toBeUndefined();
    expect(await sessionsOf(other).store.read(deviceId)).toBeUndefined();
    await advance(60 + 92);
    expect(endsOf(deviceId)).toEqual([]);
    await passing(() => expect(endsOf(deviceId)).toMatchObject([{ change: 'expired', reason: 'lifetime' }]));
  });

  it('an end that a replica did not finish is announced by another, for its own reason', async () => {
    const deviceId = await system.register(system.thing(proxy, 'half-ended', { lifetimeSeconds: 86_400 }));
    expect(await sessionsOf(proxy).claimEnd(sessionsOf(proxy).get(deviceId)!, 'suspended')).toBeDefined();
    await advance(25);
    expect(endsOf(deviceId)).toEqual([]);
    await passing(() => expect(endsOf(deviceId)).toMatchObject([{ change: 'deregistered', reason: 'suspended' }]));
    await eventually(async () => expect(await system.storedSession(deviceId)).toEqual({}));
  });

  it('an end that is announced again, because its replica died before it was closed, is the same fact', async () => {
    const deviceId = await system.register(system.thing(proxy, 'ended-twice', { lifetimeSeconds: 86_400 }));
    const session = sessionsOf(proxy).get(deviceId)!;
    const endedAtMs = await sessionsOf(proxy).claimEnd(session, 'suspended');
    await proxy.app.get(SessionFacts, { strict: false }).announceEnd(session, 'suspended', endedAtMs!);
    await advance(25);
    await passing(() => expect(endsOf(deviceId)).toHaveLength(2));
    const [first, second] = system.sessions.filter(({ value: v }) => v.deviceId === deviceId && v.reason !== undefined);
    expect(second).toEqual(first);
    await eventually(async () => expect(await system.storedSession(deviceId)).toEqual({}));
  });

  it('an end of a gateway that a replica did not finish is also that of the devices behind it', async () => {
    const gateway = new TestLwm2mGateway(system, proxy, 'half-ended-gateway', { lifetimeSeconds: 86_400 });
    gateway.add(0, 'behind-half-ended');
    const gatewayId = await gateway.register();
    const { value: behind } = await passing(() =>
      system.fact(system.sessions, (v) => v.endpointName === 'behind-half-ended' && v.change === 'registered', 200),
    );
    expect(await sessionsOf(proxy).claimEnd(sessionsOf(proxy).get(gatewayId)!, 'device')).toBeDefined();
    await advance(25);
    expect(endsOf(behind.deviceId)).toEqual([]);
    await passing(() => expect(endsOf(behind.deviceId)).toMatchObject([{ change: 'deregistered', reason: 'gateway' }]));
    await eventually(async () => expect(await system.storedSession(behind.deviceId)).toEqual({}));
  });

  it('a deregistration at a replica with an outdated copy ends the session, once', async () => {
    const thing = system.thing(proxy, 'outdated', { lifetimeSeconds: 86_400 });
    const deviceId = await system.register(thing);
    // The other replica has it now, and its wake-up is still on the way.
    const { session } = (await sessionsOf(other).store.takeOver(deviceId))!;
    await thing.device.deregister();
    await eventually(() => expect(endsOf(deviceId)).toMatchObject([{ change: 'deregistered', reason: 'device' }]));
    expect(endsOf(deviceId)[0]!.epoch).toBeGreaterThan(session.epoch);
    expect(await system.storedSession(deviceId)).toEqual({});
  });

  it('a session that is lost while its replica stops leaves no timer', async () => {
    const watched = new WatchedClock(Date.now());
    const stopping = await system.proxy('dp-stopping', { clock: watched });
    const deviceId = await system.register(system.thing(stopping, 'left', { lifetimeSeconds: 86_400 }));
    const sessions = sessionsOf(stopping);
    const session = sessions.get(deviceId)!;
    await system.stop(stopping);
    const before = watched.pending.size;
    sessions.drop(session);
    expect(watched.pending.size).toBe(before);
  });

  it('a command that no device fetches in time expires', async () => {
    const app = newKey(system.accountId);
    const deviceId = newId();
    await system.lifecycle(deviceId, 'never-here', 'created');
    const path = `/v2/device-requests/${deviceId}?async-id=late&expiry-seconds=30`;
    await eventually(async () =>
      expect(
        (await system.call(proxy, app, 'POST', path, { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': 'MQ==' }))
          .status,
      ).toBe(202),
    );
    await advance(31);
    const { value } = await passing(() => system.result('late', 200));
    expect(value).toMatchObject({
      outcome: 'expired',
      item: { status: 429, error: 'REQUEST_EXPIRED', payload: '' },
      written: { payload: 'MQ==' },
    });
  });

  it('a device whose commands cannot be ended keeps no other from it', async () => {
    const app = newKey(system.accountId);
    const ids = [newId(), newId(), newId()].sort();
    const [, stuck] = ids;
    for (const [n, deviceId] of ids.entries()) {
      await system.lifecycle(deviceId, `absent-${n}`, 'created');
      const path = `/v2/device-requests/${deviceId}?async-id=stuck-${n}&expiry-seconds=30`;
      await eventually(async () =>
        expect((await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(202),
      );
    }
    await system.rows(`ALTER TABLE device_proxy.commands ADD CONSTRAINT stuck
      CHECK (device_id <> '${stuck}' OR state = 'waiting')`);
    await advance(31);
    for (const n of [0, 2])
      expect((await passing(() => system.result(`stuck-${n}`, 200))).value).toMatchObject({ outcome: 'expired' });
    await system.rows('ALTER TABLE device_proxy.commands DROP CONSTRAINT stuck');
    expect((await passing(() => system.result('stuck-1', 200))).value).toMatchObject({ outcome: 'expired' });
  });

  it('a sleeping device gets its commands when it wakes, and is left alone before', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(proxy, 'sleeper', { queueMode: true, lifetimeSeconds: 86_400 });
    const deviceId = await system.register(thing);
    await advance(94);
    const reply = await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=awake`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect(reply.status).toBe(202);
    await advance(5);
    const wakefulId = await system.register(system.thing(proxy, 'wakeful'));
    const later = `/v2/device-requests/${wakefulId}?async-id=later&wait=60`;
    expect((await system.call(proxy, app, 'POST', later, { method: 'GET', uri: '/3/0/0' })).status).toBe(200);
    expect(thing.device.received).toEqual([]);
    expect((await system.fact(system.commands, (v) => v.asyncId === 'awake')).value.expiresAt).toBeDefined();
    await thing.device.update();
    expect((await system.result('awake')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('any message of a sleeping device wakes its queue', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(proxy, 'whisperer', { queueMode: true, lifetimeSeconds: 86_400 });
    const deviceId = await system.register(thing);
    await advance(94);
    await system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=whispered`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    await thing.device.send([['/3303/0/5700', 1]]);
    expect((await system.result('whispered')).value).toMatchObject({ outcome: 'succeeded' });
    // Redis has not heard of the message: it does when time passes.
    const before = new Date(clock.now() + 1).toISOString();
    const { json } = await system.call(proxy, app, 'GET', `/explain/devices/${deviceId}?limit=1&before=${before}`);
    expect(json).toMatchObject({ session: { asleep: false, last_heard_at: formatTimestamp(clock.now()) } });
  });

  it('an address that a device leaves for a connection is released after a while', async () => {
    const replica = await system.proxy('dp-tcp', { clock, tcp: true });
    const thing = system.thing(replica, 'connecting', { lifetimeSeconds: 86_400 });
    const deviceId = await system.register(thing);
    const { address = '', registration } = await system.storedSession(deviceId);
    const released: string[] = [];
    const link = replica.app.get(DeviceLinks, { strict: false }).to(address);
    const release = link.release.bind(link);
    link.release = (from) => {
      released.push(from);
      release(from);
    };
    const connected = new SecureDevice('connecting');
    await connected.connect(replica.tcpPort);
    expect(await connected.update(registration)).toBe('2.04');
    expect(released).toEqual([]);
    await advance(10);
    expect(released).toEqual([address]);
    await connected.close();
  });

  it('a device behind a gateway in queue mode is explained as asleep only while the gateway is', async () => {
    const app = newKey(system.accountId);
    const gateway = new TestLwm2mGateway(system, proxy, 'dozing', { queueMode: true, lifetimeSeconds: 86_400 });
    gateway.add(0, 'dozing-first');
    await gateway.register();
    const deviceId = await gateway.idOf('dozing-first');
    const explained = async (): Promise<unknown> => {
      const before = new Date(clock.now() + 1).toISOString();
      return (await system.call(proxy, app, 'GET', `/explain/devices/${deviceId}?limit=1&before=${before}`)).json;
    };
    await advance(94);
    expect(await explained()).toMatchObject({ session: { queue_mode: true, asleep: true } });
    await gateway.device.send([['/3303/0/5700', 1]]);
    expect(await explained()).toMatchObject({ session: { queue_mode: true, asleep: false } });
  });

  it('a sleeping device that was heard before the clock was set back is explained as asleep', async () => {
    const app = newKey(system.accountId);
    const thing = system.thing(proxy, 'hindsight', { queueMode: true, lifetimeSeconds: 86_400 });
    const deviceId = await system.register(thing);
    clock.adjust(-3_600_000);
    try {
      const before = new Date(clock.now()).toISOString();
      const { json } = await system.call(proxy, app, 'GET', `/explain/devices/${deviceId}?limit=1&before=${before}`);
      expect(json).toMatchObject({ session: { queue_mode: true, asleep: true } });
    } finally {
      clock.adjust(3_600_000);
    }
  });

  it('a command that ended a moment ago is explained before those that were accepted after it', async () => {
    const app = newKey(system.accountId);
    const deviceId = newId();
    await system.lifecycle(deviceId, 'absent-explained', 'created');
    const ask = async (asyncId: string): Promise<number> => {
      const path = `/v2/device-requests/${deviceId}?async-id=${asyncId}`;
      return (await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status;
    };
    await eventually(async () => expect(await ask('explained-1')).toBe(202));
    await advance(1);
    expect(await ask('explained-2')).toBe(202);
    await advance(1);
    expect((await system.call(proxy, app, 'DELETE', '/v3/device-requests/explained-1')).status).toBe(204);
    const newestBefore = async (ms: number): Promise<unknown> => {
      const before = new Date(ms).toISOString();
      return (await system.call(proxy, app, 'GET', `/explain/devices/${deviceId}?limit=1&before=${before}`)).json;
    };
    const [first, second] = [{ async_id: 'explained-1', state: 'cancelled' }, { async_id: 'explained-2' }];
    expect(await newestBefore(clock.now() + 1)).toMatchObject({ commands: [first], has_more: true });
    expect(await newestBefore(clock.now())).toMatchObject({ commands: [second], has_more: true });
  });
});
