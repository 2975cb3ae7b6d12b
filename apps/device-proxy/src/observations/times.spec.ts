import { describe, expect, it } from '@jest/globals';
import { decodeValues, standardModels } from '@lanyard/lwm2m';
import { byTime, credibleAgeMs, inOrderOfTime } from './times.js';

const nowMs = Date.parse('2024-06-01T12:00:00Z');
const at = (timeMs?: number) => (timeMs === undefined ? {} : { timeMs });
const measured = (...times: (number | undefined)[]): (number | undefined)[] =>
  inOrderOfTime(times.map(at), nowMs).map(({ measuredAtMs }) => measuredAtMs);

describe('the times of a pack', () => {
  it('are in order, and as the device says', () => {
    expect(measured(nowMs - 1_000, nowMs - 3_000, nowMs)).toEqual([nowMs - 3_000, nowMs - 1_000, nowMs]);
  });

  it('records of one time keep their order, and a record without one is as it arrived', () => {
    const records = ['a', 'b', 'c'].map((name, n) => ({ name, ...at(n === 1 ? undefined : nowMs - 5) }));
    expect(inOrderOfTime(records, nowMs).map(({ name, measuredAtMs }) => [name, measuredAtMs])).toEqual([
      ['a', nowMs - 5],
      ['c', nowMs - 5],
      ['b', undefined],
    ]);
  });

  it.each([
    ['a little ahead', [nowMs + 1_000]],
    ['far in the future', [nowMs + 50 * 365 * 86_400_000]],
    ['before the clock of the device was set', [0, 1_000, Date.parse('2000-01-01T00:00:00Z')]],
    ['older than a snapshot lives', [nowMs - credibleAgeMs - 1]],
  ])('count as the arrival when they are %s', (_, times) => {
    expect(measured(...times)).toEqual(times.map(() => undefined));
  });

  it('what is too old to be true is not newer than what follows it in the pack', () => {
    expect(measured(5_000, nowMs - 60_000, nowMs + 60_000)).toEqual([nowMs - 60_000, nowMs - 60_000, undefined]);
  });

  it('never fall within the order, whatever a device says', () => {
    let state = 4_711;
    const below = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
    const odd = [undefined, -1, 0, 8.64e15, -8.64e15, nowMs, nowMs - credibleAgeMs];
    for (let round = 0; round < 500; round++) {
      const times = Array.from({ length: 1 + below(8) }, () =>
        below(2) === 0 ? odd[below(odd.length)] : nowMs + (below(2_000) - 1_500) * 10_000_000,
      );
      const order = measured(...times).map((ms) => ms ?? nowMs);
      expect(order).toEqual(order.toSorted((a, b) => a - b));
      expect(Math.max(...order)).toBeLessThanOrEqual(nowMs);
    }
  });
});

describe('a report in a format that carries times', () => {
  const models = standardModels();
  const path = '/3303/0/5700';
  const json = 'application/senml+json';
  const moments = (pack: unknown, contentType = json, of = path) =>
    byTime(of, contentType, Buffer.from(JSON.stringify(pack)), models, nowMs);

  it('of one time is as the device sent it', () => {
    const pack = [{ bn: '/3303/0/', bt: nowMs / 1_000 - 60, n: '5700', v: 1 }];
    expect(moments(pack)).toEqual([
      { payload: Buffer.from(JSON.stringify(pack)), contentType: json, measuredAtMs: nowMs - 60_000 },
    ]);
    expect(moments([{ n: path, v: 1 }])).toMatchObject([{ measuredAtMs: undefined }]);
  });

  it('of several is one for each, oldest first', () => {
    const pack = [{ bn: path, bt: nowMs / 1_000 - 100, v: 3, t: 50 }, { v: 1 }, { v: 2, t: 20 }];
    const all = moments(pack);
    expect(all.map(({ measuredAtMs }) => (measuredAtMs ?? NaN) - nowMs)).toEqual([-100_000, -80_000, -50_000]);
    expect(all.map(({ payload }) => decodeValues(110, payload, path, models, nowMs))).toMatchObject([
      [{ path, value: 1, timeMs: nowMs - 100_000 }],
      [{ path, value: 2 }],
      [{ path, value: 3 }],
    ]);
  });

  it('an instance keeps together what was measured together; times are relative to now when they are small', () => {
    const pack = [
      { bn: '/3303/0/', n: '5700', v: 1, t: -10 },
      { n: '5701', vs: 'C', t: -10 },
      { n: '5700', v: 2, t: -5 },
    ];
    const all = moments(pack, json, '/3303/0');
    expect(
      all.map(({ payload, measuredAtMs }) => [decodeValues(110, payload, '/3303/0', models).length, measuredAtMs]),
    ).toEqual([
      [2, nowMs - 10_000],
      [1, nowMs - 5_000],
    ]);
  });

  it('LwM2M JSON is cut into SenML', () => {
    const bt = nowMs / 1_000 - 100;
    const all = moments({ bn: path, bt, e: [{ v: 2, t: 10 }, { v: 1 }] }, 'application/vnd.oma.lwm2m+json');
    expect(all).toMatchObject([
      { contentType: json, measuredAtMs: nowMs - 100_000 },
      { contentType: json, measuredAtMs: nowMs - 90_000 },
    ]);
  });

  it('what cannot be read stays as it came', () => {
    expect(byTime(path, json, Buffer.from('{'), models, nowMs)).toEqual([
      { payload: Buffer.from('{'), contentType: json, measuredAtMs: undefined },
    ]);
  });

  it('an integer that no format can carry stays as it came', () => {
    const cbor = 'application/senml+cbor';
    // Two times; the first value is 2^64 - 1, and 1 as its base value.
    const first = 'a4216c2f333330332f302f353730302401021bffffffffffffffff0629';
    const payload = Buffer.from(`82${first}a202010624`, 'hex');
    const stays = [{ payload, contentType: cbor, measuredAtMs: undefined }];
    expect(byTime(path, cbor, payload, models, nowMs)).toEqual(stays);
  });
});
