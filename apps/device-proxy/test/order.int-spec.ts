import { Code, type CoapMessage } from '@lanyard/coap';
import { type Identity, Metrics } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';
import { RawDevice } from './raw-device.js';

/** For a machine ten times slower than a developer's. */
const text = 0;
const senmlJson = 110;
/** Its values are noted in the database before they go to Kafka, so that a test can make them wait, or fail. */
const result = '/5/0/5';
const temperature = '/3303/0/5700';

describe('the order of notifications (RFC 7641 §3.4)', () => {
  let system: TestSystem;
  let proxy: RunningProxy;
  let app: Identity;
  const devices: RawDevice[] = [];

  beforeAll(async () => {
    system = await TestSystem.create('order');
    proxy = await system.proxy('dp-0');
    app = newKey(system.accountId);
  });
  afterAll(async () => {
    for (const device of devices) device.close();
    await system.close();
  });

  const device = async (name: string): Promise<[RawDevice, string]> => {
    const one = await RawDevice.registered(proxy.coapPort, name, '</>;ct="0 110",</5/0>,</3303/0>');
    devices.push(one);
    const { value } = await system.fact(system.sessions, (v) => v.endpointName === name);
    return [one, value.deviceId];
  };
  /** The device answers the observation of a path with number 10; answers its token. */
  const observed = async (one: RawDevice, deviceId: string, at = proxy): Promise<Buffer> => {
    const asked = new Promise<CoapMessage>((resolve) => (one.onObserve = resolve));
    const subscribing = system.subscribe(at, app, deviceId, result);
    const request = await asked;
    one.answer(request, { number: 10, payload: '0', format: text });
    await subscribing;
    await arrived(deviceId, result, '0');
    return request.token;
  };
  const observeTogether = (deviceId: string, paths = [temperature]): ReturnType<TestSystem['call']> =>
    system.call(proxy, app, 'POST', `/v2/device-requests/${deviceId}?async-id=o-${deviceId}&wait=60`, {
      method: 'FETCH',
      uri: '/',
      observe: true,
      'payload-b64': Buffer.from(JSON.stringify(paths.map((n) => ({ n })))).toString('base64'),
    });
  const arrived = (deviceId: string, path: string, value: string) =>
    system.fact(system.values, (v) => v.deviceId === deviceId && v.item.path === path && textOf(v.item) === value);
  const textOf = ({ payload }: { payload: string }): string => Buffer.from(payload, 'base64').toString();
  /** In the order of epoch and sequence, which decides what the last known value is. */
  const valuesOf = (deviceId: string, path: string): string[] =>
    system.values
      .filter(({ value }) => value.deviceId === deviceId && value.item.path === path)
      .sort((a, b) => a.value.epoch - b.value.epoch || a.value.sequence - b.value.sequence)
      .map(({ value }) => textOf(value.item));
  const counted = async (event: string): Promise<number> => {
    const page = await proxy.app.get(Metrics).registry.metrics();
    const line = page.split('\n').find((one) => one.includes('coap_events_total') && one.includes(`"${event}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const waitingStatements = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  const lock = 'LOCK TABLE device_proxy.firmware_reports IN ACCESS EXCLUSIVE MODE';

  it('a value that failed and comes again after a newer one is acknowledged and goes nowhere', async () => {
    const [one, deviceId] = await device('failed');
    const token = await observed(one, deviceId);
    const unlock = await system.holdRows(lock);
    const rejected = await counted('notification-rejected');
    one.notify(token, { number: 11, messageId: 50, payload: '1', format: text });
    await eventually(async () => {
      await (
        await system.holdRows(`SELECT pg_terminate_backend(pid) ${waitingStatements}`)
      )();
      expect(await counted('notification-rejected')).toBe(rejected + 1);
    });
    await unlock();
    expect(await one.told(token, { number: 12, messageId: 51, payload: '2', format: text })).toBe('ACK');
    expect(await one.told(token, { number: 11, messageId: 50, payload: '1', format: text })).toBe('ACK');
    expect(await one.told(token, { number: 13, messageId: 52, payload: '3', format: text })).toBe('ACK');
    await arrived(deviceId, result, '3');
    expect(valuesOf(deviceId, result)).toEqual(['0', '2', '3']);
  });

  it('nothing is acknowledged while the newer value is not safe', async () => {
    const [one, deviceId] = await device('waiting');
    const token = await observed(one, deviceId);
    const unlock = await system.holdRows(lock);
    const stale = await counted('notification-stale');
    one.notify(token, { number: 12, messageId: 50, payload: '2', format: text });
    one.notify(token, { number: 11, messageId: 51, payload: '1', format: text });
    // The same once more, in a message of its own.
    one.notify(token, { number: 12, messageId: 52, payload: '2', format: text });
    const received = await counted('datagram-received');
    await eventually(async () => {
      one.notify(token, { number: 12, messageId: 50, payload: '2', format: text });
      expect(await counted('datagram-received')).toBeGreaterThan(received + 3);
    });
    expect([one.heard.filter(({ code }) => code === 0), await counted('notification-stale')]).toEqual([[], stale]);
    await unlock();
    for (const messageId of [50, 51, 52]) expect(await one.answered(messageId)).toBe('ACK');
    expect(await one.told(token, { number: 13, messageId: 53, payload: '3', format: text })).toBe('ACK');
    await arrived(deviceId, result, '3');
    expect(valuesOf(deviceId, result)).toEqual(['0', '2', '3']);
  });

  it('a value that changed while the one before was sent is not lost for having its number', async () => {
    const [one, deviceId] = await device('same-number');
    const token = await observed(one, deviceId);
    expect(await one.told(token, { number: 11, messageId: 50, payload: '1', format: text })).toBe('ACK');
    expect(await one.told(token, { number: 11, messageId: 51, payload: '2', format: text })).toBe('ACK');
    await arrived(deviceId, result, '2');
    expect(valuesOf(deviceId, result)).toEqual(['0', '1', '2']);
  });

  describe('continues at its last position', () => {
    const report = (number: number, messageId: number) => ({
      number,
      messageId,
      payload: String(number - 10),
      format: text,
    });
    /** Observed, with number 12 as the newest; that is written with what was heard last. */
    const standing = async (name: string): Promise<[RawDevice, string, Buffer]> => {
      const [one, deviceId] = await device(name);
      const token = await observed(one, deviceId);
      expect(await one.told(token, report(12, 50))).toBe('ACK');
      await eventually(async () => {
        expect((await system.storedSession(deviceId)).newest).toMatch(new RegExp(`^${token.toString('hex')}:12:`));
      });
      return [one, deviceId, token];
    };
    const older = async (one: RawDevice, deviceId: string, token: Buffer): Promise<void> => {
      expect(await one.told(token, report(11, 51))).toBe('ACK');
      expect(await one.told(token, report(13, 52))).toBe('ACK');
      await arrived(deviceId, result, '3');
      expect(valuesOf(deviceId, result)).toEqual(['0', '2', '3']);
    };

    it('at another replica', async () => {
      const [one, deviceId, token] = await standing('elsewhere');
      one.talkTo((await system.proxy('dp-1')).coapPort);
      await older(one, deviceId, token);
    });

    it('at another address', async () => {
      const [one, deviceId, token] = await standing('rebound');
      await one.rebind();
      one.update(60);
      await eventually(() => expect(one.heard.map(({ messageId }) => messageId)).toContain(60));
      await older(one, deviceId, token);
    });

    it('at an address that a NAT gave it; commands go there then', async () => {
      const [one, deviceId, token] = await standing('translated');
      await one.rebind();
      await older(one, deviceId, token);
      const command = new Promise<CoapMessage>((resolve) => (one.onRequest = resolve));
      const path = `/v2/device-requests/${deviceId}?async-id=there`;
      const asked = await system.call(proxy, app, 'POST', path, { method: 'GET', uri: '/3303/0/5700' });
      expect(asked.status).toBe(202);
      expect((await command).code).toBe(Code.GET);
    });

    it('after a restart', async () => {
      const before = await system.proxy('dp-2');
      const one = await RawDevice.registered(before.coapPort, 'restarted', '</>;ct="0 110",</5/0>');
      devices.push(one);
      const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'restarted');
      const token = await observed(one, value.deviceId, before);
      expect(await one.told(token, report(12, 50))).toBe('ACK');
      await before.stop();
      one.talkTo((await system.proxy('dp-2')).coapPort);
      await older(one, value.deviceId, token);
    });
  });

  it.each([
    ['right behind the answer', true],
    ['before the answer', false],
  ])('a notification of several paths that comes %s is not lost', async (name, behind) => {
    const [one, deviceId] = await device(`composite-${behind}`);
    const pack = (v: number): string => JSON.stringify([{ n: temperature, v }]);
    const first = { number: 10, payload: pack(20), format: senmlJson };
    const next = { number: 11, messageId: 60, payload: pack(21), format: senmlJson };
    one.onObserve = (request) => {
      if (behind) one.answer(request, first);
      one.notify(request.token, next);
      if (!behind) one.answer(request, first);
      one.notify(request.token, { ...next, number: 12, messageId: 61, payload: pack(22) });
    };
    expect((await observeTogether(deviceId)).json).toMatchObject({ status: 200 });
    for (const messageId of [60, 61]) expect(await one.answered(messageId)).toBe('ACK');
    await arrived(deviceId, temperature, '22');
    expect(valuesOf(deviceId, temperature)).toEqual([...(behind ? ['20'] : []), '21', '22']);
    expect((await arrived(deviceId, temperature, '22')).value.audience).toEqual([app.keyId]);
  });

  it('values that came together keep their place while one of them waits', async () => {
    const [one, deviceId] = await device('overtaken');
    const pack = (v: number, ...more: object[]): string => JSON.stringify([...more, { n: temperature, v }]);
    const asked = new Promise<CoapMessage>((resolve) => (one.onObserve = resolve));
    const observing = observeTogether(deviceId, [result, temperature]);
    const { token, ...request } = await asked;
    one.answer({ token, ...request }, { number: 10, payload: pack(20, { n: result, v: 0 }), format: senmlJson });
    expect((await observing).json).toMatchObject({ status: 200 });
    const unlock = await system.holdRows(lock);
    one.notify(token, { number: 11, messageId: 80, payload: pack(21, { n: result, v: 1 }), format: senmlJson });
    expect(await one.told(token, { number: 12, messageId: 81, payload: pack(22), format: senmlJson })).toBe('ACK');
    await unlock();
    expect(await one.answered(80)).toBe('ACK');
    await arrived(deviceId, result, '1');
    await arrived(deviceId, temperature, '22');
    expect(valuesOf(deviceId, temperature)).toEqual(['20', '21', '22']);
  });

  it('a notification of several paths that cannot be read is acknowledged when the event log has it', async () => {
    const [one, deviceId] = await device('garbled');
    const asked = new Promise<CoapMessage>((resolve) => (one.onObserve = resolve));
    const observing = observeTogether(deviceId);
    const request = await asked;
    one.answer(request, { number: 10, payload: JSON.stringify([{ n: temperature, v: 20 }]), format: senmlJson });
    expect((await observing).json).toMatchObject({ status: 200 });
    const garbled = (number: number) => ({ number, messageId: 60 + number, payload: '[{"n":', format: senmlJson });
    expect(await one.told(request.token, garbled(11))).toBe('ACK');
    const { value } = await system.fact(system.events, (v) => v.deviceId === deviceId);
    expect(value).toMatchObject({
      eventCode: 'SYS_401',
      data: {
        content_type: 'application/senml+json',
        bytes: '6',
        payload: Buffer.from('[{"n":').toString('base64'),
        reason: expect.stringMatching(/./),
      },
    });
    // Now and then, however often; and what can be read is a value again.
    expect(await one.told(request.token, garbled(12))).toBe('ACK');
    const good = { number: 13, messageId: 80, payload: JSON.stringify([{ n: temperature, v: 21 }]), format: senmlJson };
    expect(await one.told(request.token, good)).toBe('ACK');
    await arrived(deviceId, temperature, '21');
    expect(system.events.filter(({ value: v }) => v.deviceId === deviceId)).toHaveLength(1);
  });

  it('a notification of several paths without Content-Format is in the one that was asked for', async () => {
    const [one, deviceId] = await device('formless');
    const asked = new Promise<CoapMessage>((resolve) => (one.onObserve = resolve));
    const observing = observeTogether(deviceId);
    const request = await asked;
    one.answer(request, { number: 10, payload: JSON.stringify([{ n: temperature, v: 20 }]) });
    expect((await observing).json).toMatchObject({ status: 200, ct: 'application/senml+json' });
    const payload = JSON.stringify([{ n: temperature, v: 21 }]);
    expect(await one.told(request.token, { number: 11, messageId: 70, payload })).toBe('ACK');
    await arrived(deviceId, temperature, '21');
    expect(valuesOf(deviceId, temperature)).toEqual(['20', '21']);
  });
});
