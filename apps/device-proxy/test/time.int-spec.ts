import { newId, TestClock } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { Harness, newKey } from './harness.js';

describe('time', () => {
  let harness: Harness;
  let proxy: RunningProxy;
  let other: RunningProxy;
  const clock = new TestClock(Date.now());

  beforeAll(async () => {
    harness = await Harness.create('time');
    proxy = await harness.proxy('dp-0', { clock });
    other = await harness.proxy('dp-1', { clock });
  });
  afterAll(() => harness.close());

  const advance = (seconds: number): Promise<void> => clock.advance(seconds * 1000);
  /** Sweeps run on the clock, their work on engines: time advances a little until it is done. */
  const passing = <T>(attempt: () => T | Promise<T>): Promise<T> =>
    eventually(async () => {
      await advance(1);
      return attempt();
    });

  it('a command accepted by one replica runs at once on the other, which has the device: no time passes', async () => {
    const app = newKey(harness.accountId);
    const deviceId = await harness.register(harness.thing(proxy, 'elsewhere'));
    const path = `/v2/device-requests/${deviceId}?async-id=cross`;
    const reply = await harness.call(other, app, 'POST', path, { method: 'GET', uri: '/3303/0/5700' });
    expect(reply.status).toBe(202);
    expect((await harness.result('cross', 25_000)).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('a session expires one lifetime and one MAX_TRANSMIT_WAIT after the last update, once', async () => {
    const thing = harness.thing(proxy, 'mortal', { lifetimeSeconds: 60 });
    const deviceId = await harness.register(thing);
    await advance(50);
    await thing.device.update();
    await advance(60 + 90);
    expect(harness.sessions.some(({ value }) => value.deviceId === deviceId && value.change === 'expired')).toBe(false);
    await advance(4);
    const { value, audience } = await passing(() =>
      harness.fact(harness.sessions, (v) => v.deviceId === deviceId && v.change === 'expired', 200),
    );
    expect([value.item, value.reason, audience]).toEqual([{ ep: deviceId }, 'lifetime', '*']);
    await expect(thing.device.update()).rejects.toThrow('4.04');
    await advance(120);
    expect(harness.sessions.filter(({ value: v }) => v.deviceId === deviceId && v.change === 'expired')).toHaveLength(
      1,
    );
  });

  it('a session expires as soon after its lifetime as the grace of the replica says', async () => {
    const hasty = await harness.proxy('dp-hasty', { clock, expiryGraceMs: 5_000 });
    const registered = await harness.register(harness.thing(hasty, 'short-registered', { lifetimeSeconds: 8 }));
    const updating = harness.thing(hasty, 'short-updated', { lifetimeSeconds: 8 });
    const updated = await harness.register(updating);
    const beganMs = clock.now();
    await advance(5);
    await updating.device.update();
    const expired = (deviceId: string): boolean =>
      harness.sessions.some(({ value }) => value.deviceId === deviceId && value.change === 'expired');
    await advance(7);
    expect([registered, updated].map(expired)).toEqual([false, false]);
    await advance(2);
    await passing(() => expect(expired(registered)).toBe(true));
    await advance(6);
    await passing(() => expect(expired(updated)).toBe(true));
    expect(clock.now() - beganMs).toBeLessThan(60_000);
  });

  it('a command that no device fetches in time expires', async () => {
    const app = newKey(harness.accountId);
    const deviceId = newId();
    await harness.lifecycle(deviceId, 'never-here', 'created');
    const path = `/v2/device-requests/${deviceId}?async-id=late&expiry-seconds=30`;
    await eventually(async () =>
      expect(
        (await harness.call(proxy, app, 'POST', path, { method: 'PUT', uri: '/3341/0/5527', 'payload-b64': 'MQ==' }))
          .status,
      ).toBe(202),
    );
    await advance(31);
    const { value } = await passing(() => harness.result('late', 200));
    expect(value).toMatchObject({
      outcome: 'expired',
      item: { status: 429, error: 'REQUEST_EXPIRED', payload: '' },
      written: { payload: 'MQ==' },
    });
  });

  it('a device whose commands cannot be ended keeps no other from it', async () => {
    const app = newKey(harness.accountId);
    const ids = [newId(), newId(), newId()].sort();
    const [, stuck] = ids;
    for (const [n, deviceId] of ids.entries()) {
      await harness.lifecycle(deviceId, `absent-${n}`, 'created');
      const path = `/v2/device-requests/${deviceId}?async-id=stuck-${n}&expiry-seconds=30`;
      await eventually(async () =>
        expect((await harness.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3/0/0' })).status).toBe(202),
      );
    }
    await harness.rows(`ALTER TABLE device_proxy.command ADD CONSTRAINT stuck
      CHECK (device_id <> '${stuck}' OR state = 'waiting')`);
    await advance(31);
    for (const n of [0, 2])
      expect((await passing(() => harness.result(`stuck-${n}`, 200))).value).toMatchObject({ outcome: 'expired' });
    await harness.rows('ALTER TABLE device_proxy.command DROP CONSTRAINT stuck');
    expect((await passing(() => harness.result('stuck-1', 200))).value).toMatchObject({ outcome: 'expired' });
  });

  it('a sleeping device gets its commands when it wakes, and is left alone before', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(proxy, 'sleeper', { queueMode: true, lifetimeSeconds: 86_400 });
    const deviceId = await harness.register(thing);
    await advance(94);
    const reply = await harness.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=awake`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    expect(reply.status).toBe(202);
    await advance(5);
    expect(thing.device.received).toEqual([]);
    expect((await harness.fact(harness.commands, (v) => v.asyncId === 'awake')).value.expiresAt).toBeDefined();
    await thing.device.update();
    expect((await harness.result('awake')).value).toMatchObject({ outcome: 'succeeded' });
  });

  it('any message of a sleeping device wakes its queue', async () => {
    const app = newKey(harness.accountId);
    const thing = harness.thing(proxy, 'whisperer', { queueMode: true, lifetimeSeconds: 86_400 });
    const deviceId = await harness.register(thing);
    await advance(94);
    await harness.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=whispered`, {
      method: 'GET',
      uri: '/3/0/0',
    });
    await thing.device.send([['/3303/0/5700', 1]]);
    expect((await harness.result('whispered')).value).toMatchObject({ outcome: 'succeeded' });
  });
});
