import { Code, type CoapMessage } from '@lanyard/coap';
import type { ResourceValueArrived } from '@lanyard/contracts';
import { formatTimestamp } from '@lanyard/service';
import { eventually, type Thermometer } from '@lanyard/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningProxy } from './running-proxy.js';
import { TestSystem, newKey } from './test-system.js';
import { RawDevice } from './raw-device.js';

const senmlJson = 110;
const temperature = '/3303/0/5700';

/** How long before its arrival a value was measured, in s; undefined: the device does not say. */
const ageOf = ({ observedAt, measuredAt }: ResourceValueArrived): number | undefined =>
  measuredAt === undefined ? undefined : Math.round((Date.parse(observedAt) - Date.parse(measuredAt)) / 1_000);

describe('the time at which a device measured', () => {
  let system: TestSystem;
  let proxy: RunningProxy;

  beforeAll(async () => {
    system = await TestSystem.create('measured');
    proxy = await system.proxy('dp-0');
  });
  afterAll(() => system.close());

  const device = async (name: string): Promise<[Thermometer, string]> => {
    const thing = system.thing(proxy, name);
    return [thing, await system.register(thing)];
  };
  const send = (thing: Thermometer, pack: unknown) =>
    thing.device.request(Code.POST, ['dp'], [], {
      payload: Buffer.from(JSON.stringify(pack)),
      contentFormat: senmlJson,
    });
  const textOf = ({ item }: ResourceValueArrived): string => Buffer.from(item.payload, 'base64').toString();
  /** As they came, and in the order of arrival. */
  const arrived = (deviceId: string, count: number): Promise<ResourceValueArrived[]> =>
    eventually(() => {
      const values = system.values.map(({ value }) => value).filter((value) => value.deviceId === deviceId);
      expect(values).toHaveLength(count);
      expect(values.map(({ sequence }) => sequence)).toEqual(values.map((_, n) => n + 1));
      return values;
    });

  it('of a Send goes along, and its records come in the order of time', async () => {
    const [thing, deviceId] = await device('history');
    const nowSeconds = Math.floor(Date.now() / 1_000);
    await send(thing, [
      { bn: '/3303/0/', bt: nowSeconds - 3_600, n: '5700', v: 23, t: 600 },
      { n: '5700', v: 22, t: 300 },
      { n: '5701', vs: 'C' },
      { n: '5700', v: 21 },
    ]);
    const values = await arrived(deviceId, 4);
    expect(values.map((value) => [value.item.path, textOf(value)])).toEqual([
      ['/3303/0/5701', 'C'],
      [temperature, '21'],
      [temperature, '22'],
      [temperature, '23'],
    ]);
    const agesAtSend = values.map(({ measuredAt }) => nowSeconds - Date.parse(String(measuredAt)) / 1_000);
    expect(agesAtSend).toEqual([3_600, 3_600, 3_300, 3_000]);
    expect(values.map(({ cause }) => cause)).toEqual(['send', 'send', 'send', 'send']);
  });

  it('orders a history that comes in any order, of several paths, with what it repeats', async () => {
    const [thing, deviceId] = await device('shuffled');
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const at = (path: string, v: number, secondsAgo: number) => ({ n: path, v, t: nowSeconds - secondsAgo });
    const other = '/3303/1/5700';
    await send(thing, [
      at(temperature, 3, 300),
      at(other, 7, 700),
      at(temperature, 1, 900),
      at(temperature, 3, 300),
      at(other, 5, 100),
      at(temperature, 2, 600),
    ]);
    const values = await arrived(deviceId, 6);
    const history = (path: string) =>
      values
        .filter(({ item }) => item.path === path)
        .map((value) => [textOf(value), Date.parse(String(value.measuredAt)) / 1_000 - nowSeconds]);
    expect(history(temperature)).toEqual([
      ['1', -900],
      ['2', -600],
      ['3', -300],
      ['3', -300],
    ]);
    expect(history(other)).toEqual([
      ['7', -700],
      ['5', -100],
    ]);
    // What was not stored in one Send comes with the next one: an event as well, although it is older.
    await send(thing, [at(temperature, 0, 1_200)]);
    const [late] = (await arrived(deviceId, 7)).slice(-1);
    expect([late && textOf(late), late?.measuredAt]).toEqual(['0', formatTimestamp((nowSeconds - 1_200) * 1_000)]);
  });

  it('is the arrival where a device gives none, or one that cannot be true', async () => {
    const [thing, deviceId] = await device('no-clock');
    const decade = 10 * 365 * 86_400;
    const nowSeconds = Math.floor(Date.now() / 1_000);
    await send(thing, [{ n: temperature, v: 1 }]);
    await send(thing, [{ n: temperature, v: 2, t: nowSeconds + decade }]);
    await send(thing, [{ n: temperature, v: 3, t: 1_200 }]);
    await send(thing, [{ n: temperature, v: 4, t: 946_684_800 }]);
    const values = await arrived(deviceId, 4);
    expect(values.map((value) => [textOf(value), value.measuredAt])).toEqual(
      ['1', '2', '3', '4'].map((text) => [text, undefined]),
    );
  });

  it('of a notification goes along; one of several times is a value for each', async () => {
    const one = await RawDevice.registered(proxy.coapPort, 'notifier', '</>;ct="0 110",</3303/0>');
    try {
      const { value } = await system.fact(system.sessions, (v) => v.endpointName === 'notifier');
      const { deviceId } = value;
      const app = newKey(system.accountId);
      const asked = new Promise<CoapMessage>((resolve) => (one.onObserve = resolve));
      const subscribing = system.subscribe(proxy, app, deviceId, temperature);
      const request = await asked;
      one.answer(request, { number: 10, payload: '20', format: 0 });
      await subscribing;
      const late = JSON.stringify([{ n: temperature, v: 21, t: -30 }]);
      expect(await one.told(request.token, { number: 11, messageId: 11, payload: late, format: senmlJson })).toBe(
        'ACK',
      );
      const stored = JSON.stringify([
        { bn: temperature, v: 23, t: -10 },
        { v: 22, t: -20 },
      ]);
      expect(await one.told(request.token, { number: 12, messageId: 12, payload: stored, format: senmlJson })).toBe(
        'ACK',
      );
      const values = await arrived(deviceId, 4);
      expect(values.map(ageOf)).toEqual([undefined, 30, 20, 10]);
      expect(textOf(values[1] as ResourceValueArrived)).toBe(late);
      expect(values.slice(2).map((v) => (JSON.parse(textOf(v)) as { v: number }[]).map((record) => record.v))).toEqual([
        [22],
        [23],
      ]);
      expect(system.values.filter((read) => read.value.deviceId === deviceId).map(({ audience }) => audience)).toEqual(
        values.map(() => app.keyId),
      );
    } finally {
      one.close();
    }
  });
});
