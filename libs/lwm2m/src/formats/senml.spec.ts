import { describe, expect, it } from '@jest/globals';
import { deviceCbor, deviceSenml } from '../../test/device-object.js';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { encodeSenmlCbor, encodeSenmlJson } from './senml-write.js';
import { decodeSenmlCbor, decodeSenmlJson, recordsMax } from './senml.js';
import type { ResourceValue } from '../values/value.js';

const nowMs = Date.UTC(2024, 0, 1);
const json = (text: string) => decodeSenmlJson(Buffer.from(text), nowMs);

describe('decodeSenmlJson', () => {
  it('reads the Device object of LwM2M 1.1 core §7.4.4, and CBOR says the same', () => {
    const records = json(deviceSenml);
    expect(records).toHaveLength(16);
    expect(records[0]).toEqual({ name: '/3/0/0', type: 'string', value: 'Open Mobile Alliance' });
    expect(records[5]).toEqual({ name: '/3/0/6/1', type: 'integer', value: 5 });
    expect(decodeSenmlCbor(deviceCbor, nowMs)).toEqual(records);
  });

  it('resolves base name and time of RFC 8428 §5.1.3', () => {
    const records = json(`[
      {"bn":"urn:dev:ow:10e2073a01080063:","bt":1.276020076e+09,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},
      {"n":"current","t":-5,"v":1.2},
      {"n":"current","t":-4,"v":1.3},
      {"n":"current","v":1.7}]`);
    expect(records.map(({ name, value, timeMs }) => [name.slice(28), value, timeMs])).toEqual([
      ['voltage', 120.1, 1_276_020_076_000],
      ['current', 1.2, 1_276_020_071_000],
      ['current', 1.3, 1_276_020_072_000],
      ['current', 1.7, 1_276_020_076_000],
    ]);
  });

  it('takes times below 2^28 as relative to now, of either sign', () => {
    const records = json(
      '[{"n":"a","t":-5,"v":1},{"n":"a","t":268435455,"v":1},{"n":"a","t":-300000000,"v":1},{"n":"a","v":1}]',
    );
    expect(records.map(({ timeMs }) => timeMs)).toEqual([
      nowMs - 5_000,
      nowMs + 268_435_455_000,
      nowMs - 300_000_000_000,
      undefined,
    ]);
    expect(json('[{"n":"a","t":268435456,"v":1}]')[0]?.timeMs).toBe(268_435_456_000);
  });

  it('replaces base values where they are given again', () => {
    const records = json('[{"bn":"/1/","bv":10,"n":"0","v":1},{"n":"1","v":2},{"bn":"/2/","bv":-0.5,"n":"0","v":1}]');
    expect(records.map(({ name, value }) => [name, value])).toEqual([
      ['/1/0', 11],
      ['/1/1', 12],
      ['/2/0', 0.5],
    ]);
  });

  it.each<[string, number | bigint]>([
    ['9007199254740991', Number.MAX_SAFE_INTEGER],
    ['9007199254740993', 2n ** 53n + 1n],
    ['-9223372036854775807', 1n - 2n ** 63n],
    ['18446744073709551615', 2n ** 64n - 1n],
    ['18446744073709551616', 2 ** 64],
    ['-9223372036854775809', -(2 ** 63)],
    ['0.1234567890123456', 0.1234567890123456],
    ['-0.0', -0],
  ])('reads %s with all its digits, or beyond 64 bits as the nearest number', (text, value) => {
    const [record] = json(`[{"n":"1234567890123456789","v":${text}}]`);
    expect(record?.value).toBe(value);
    expect(record?.name).toBe('1234567890123456789');
  });

  it.each<[string, string, number | bigint]>([
    ['9007199254740992', '1', 2n ** 53n + 1n],
    ['1', '9007199254740991', 2n ** 53n],
    ['9223372036854775807', '-9223372036854775807', 0],
    ['9007199254740993', '0.5', 2 ** 53],
    ['20', '1.5', 21.5],
  ])('adds the base value %s to %s', (base, text, value) => {
    expect(json(`[{"bv":${base},"n":"a","v":${text}}]`)[0]?.value).toBe(value);
  });

  it('reads each kind of value', () => {
    const records = json(
      '[{"bn":"/9/0/","n":"0","v":1.5},{"n":"1","vs":""},{"n":"2","vb":false},{"n":"3","vd":"-_8"},{"n":"4","vlo":"66:1"},{"n":"5"}]',
    );
    expect(records.map(({ type, value }) => [type, value])).toEqual([
      ['float', 1.5],
      ['string', ''],
      ['boolean', false],
      ['opaque', hex('fbff')],
      ['objlnk', { object: 66, instance: 1 }],
      ['none', undefined],
    ]);
  });

  it('ignores fields it need not understand', () => {
    expect(json('[{"n":"a","u":"Cel","ut":10,"s":3,"foo":[1],"v":1}]')).toEqual([
      { name: 'a', type: 'integer', value: 1 },
    ]);
  });

  it.each([
    ['no JSON', '[{'],
    ['no array', '{"n":"a","v":1}'],
    ['null', 'null'],
    ['a record that is none', '[1]'],
    ['a record that is an array', '[[]]'],
    ['two values', '[{"n":"a","v":1,"vs":"x"}]'],
    ['v as text', '[{"n":"a","v":"1"}]'],
    ['v as null', '[{"n":"a","v":null}]'],
    ['v beyond a double', '[{"n":"a","v":1e999}]'],
    ['v and bv beyond a double', '[{"bv":1.7e308,"n":"a","v":1.7e308}]'],
    ['v and bv beyond 64 bits', '[{"bv":1,"n":"a","v":18446744073709551615}]'],
    ['vs as a number', '[{"n":"a","vs":1}]'],
    ['vb as a number', '[{"n":"a","vb":1}]'],
    ['vd that is no base64url', '[{"n":"a","vd":"a b"}]'],
    ['vd of one letter', '[{"n":"a","vd":"A"}]'],
    ['vd with padding inside', '[{"n":"a","vd":"QUJD=QUJD"}]'],
    ['vlo that is no link', '[{"n":"a","vlo":"66"}]'],
    ['n as a number', '[{"n":1,"v":1}]'],
    ['bn as a number', '[{"bn":1,"v":1}]'],
    ['bt as text', '[{"bt":"1","v":1}]'],
    ['t as text', '[{"t":"1","v":1}]'],
    ['a time beyond dates', '[{"t":1e300,"v":1}]'],
    ['times that add up beyond a double', '[{"bt":1.7e308,"t":1.7e308,"v":1}]'],
    ['a field that must be understood', '[{"n":"a","v":1,"x_":1}]'],
    ['a later version', '[{"bver":11,"n":"a","v":1}]'],
  ])('refuses %s', (_name, text) => {
    expect(() => json(text)).toThrow(Malformed);
  });

  it('refuses more records than its limit, and takes as many', () => {
    const pack = (count: number): string => JSON.stringify(Array.from({ length: count }, () => ({ n: 'a' })));
    expect(json(pack(recordsMax))).toHaveLength(recordsMax);
    expect(() => json(pack(recordsMax + 1))).toThrow(/at most 10000 records/);
  });

  it('names a hostile field by its beginning only', () => {
    expect(() => json(`[{"${'x'.repeat(100_000)}_":1}]`)).toThrow(/^senml: x{40} must be understood/);
  });
});

describe('decodeSenmlCbor', () => {
  it('reads a pack as in the example of RFC 8428 §6', () => {
    const records = decodeSenmlCbor(
      hex(`87
        a7 21 78 1c 75726e3a6465763a6f773a313065323037336130313038303036333a
           22 fb 41d303a15b001062 23 61 41 20 05 00 67 766f6c74616765 01 61 56 02 fb 405e066666666666
        a3 00 67 63757272656e74 06 24 02 fb 3ff3333333333333
        a3 00 67 63757272656e74 06 23 02 fb 3ff4cccccccccccd
        a3 00 67 63757272656e74 06 22 02 fb 3ff6666666666666
        a3 00 67 63757272656e74 06 21 02 f9 3e00
        a3 00 67 63757272656e74 06 20 02 fb 3ff999999999999a
        a3 00 67 63757272656e74 06 00 02 fb 3ffb333333333333`),
      nowMs,
    );
    expect(records.map(({ value }) => value)).toEqual([120.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]);
    expect(records[0]?.name).toBe('urn:dev:ow:10e2073a01080063:voltage');
    expect(records[1]).toMatchObject({ name: 'urn:dev:ow:10e2073a01080063:current', timeMs: 1_276_020_071_001 });
  });

  it('reads integers of 64 bits, exact with a whole base value', () => {
    expect(decodeSenmlCbor(hex('81 a2 00 61 61 02 1b 0020000000000001'), nowMs)[0]?.value).toBe(2n ** 53n + 1n);
    expect(decodeSenmlCbor(hex('81 a3 24 01 00 61 61 02 1b 0020000000000001'), nowMs)[0]?.value).toBe(2n ** 53n + 2n);
    expect(decodeSenmlCbor(hex('81 a3 24 f93800 00 61 61 02 1b 0020000000000000'), nowMs)[0]?.value).toBe(2 ** 53);
    expect(decodeSenmlCbor(hex('81 a3 24 1b 0020000000000000 00 61 61 02 01'), nowMs)[0]?.value).toBe(2n ** 53n + 1n);
    expect(decodeSenmlCbor(hex('81 a2 00 61 61 02 1b 00000001656559c0'), nowMs)[0]?.value).toBe(5_996_108_224);
  });

  it('reads decimal fractions (RFC 8428 §6)', () => {
    const records = decodeSenmlCbor(hex('82 a2 00 61 61 02 c4 82 21 19 6ab3 a2 00 61 62 02 c4 82 02 05'), nowMs);
    expect(records).toEqual([
      { name: 'a', type: 'float', value: 273.15 },
      { name: 'b', type: 'integer', value: 500 },
    ]);
  });

  it('reads the times of Eclipse Leshan, which are decimal fractions', () => {
    const records = decodeSenmlCbor(
      hex(`82 a3 21 66 2f302f302f30 22 c4 82 00 1a 6553f100 03 61 61
        a3 21 66 2f302f302f31 22 c4 82 22 1b 0000018bcfe56864 02 01`),
      nowMs,
    );
    expect(records).toEqual([
      { name: '/0/0/0', type: 'string', value: 'a', timeMs: 1_700_000_000_000 },
      { name: '/0/0/1', type: 'integer', value: 1, timeMs: 1_700_000_000_100 },
    ]);
  });

  it('reads object links, bytes and labels in text', () => {
    const records = decodeSenmlCbor(
      hex('83 a1 63 766c6f 64 36363a31 a1 08 42 0102 a2 61 6e 61 61 63 666f6f 80'),
      nowMs,
    );
    expect(records.map(({ value, name }) => [name, value])).toEqual([
      ['', { object: 66, instance: 1 }],
      ['', hex('0102')],
      ['a', undefined],
    ]);
  });

  it.each([
    ['no array', 'a0'],
    ['a record that is an array', '81 80'],
    ['a label that is an array', '81 a1 80 01'],
    ['a label that is a map', '81 a1 a0 01'],
    ['a label that is null', '81 a1 f6 01'],
    ['a value that is NaN', '81 a2 00 61 61 02 f97e00'],
    ['a value that is a map', '81 a1 02 a0'],
    ['v and bv beyond 64 bits', '81 a3 24 01 00 61 61 02 1b ffffffffffffffff'],
    ['v and bv below 64 bits', '81 a3 24 20 00 61 61 02 3b ffffffffffffffff'],
    ['a time that is infinite', '81 a2 06 f97c00 02 00'],
    ['a name that is bytes', '81 a1 00 41 61'],
    ['a label that must be understood', '81 a1 62 785f 01'],
    ['a later version', '81 a1 20 0b'],
    ['an unassigned tag', '81 d9 dfff 80'],
  ])('refuses %s', (_name, bytes) => {
    expect(() => decodeSenmlCbor(hex(bytes), nowMs)).toThrow(Malformed);
  });
});

describe('encoding', () => {
  it('writes full names and the shortest values', () => {
    const values: ResourceValue[] = [
      { path: '/3/0/0', type: 'string', value: 'a"b' },
      { path: '/3/0/9', type: 'integer', value: 2n ** 63n, timeMs: 1_700_000_000_500 },
      { path: '/5/0/0', type: 'opaque', value: hex('fbff') },
      { path: '/3/0/22/0', type: 'objlnk', value: { object: 66, instance: 1 } },
    ];
    expect(encodeSenmlJson(values).toString()).toBe(
      '[{"n":"/3/0/0","vs":"a\\"b"},{"n":"/3/0/9","t":1700000000.5,"v":9223372036854775808},' +
        '{"n":"/5/0/0","vd":"-_8"},{"n":"/3/0/22/0","vlo":"66:1"}]',
    );
    expect(encodeSenmlCbor(values.slice(2))).toEqual(
      hex('82 a2 00 66 2f352f302f30 08 42 fbff a2 00 69 2f332f302f32322f30 63 766c6f 64 36363a31'),
    );
  });

  it.each([NaN, Infinity, -Infinity])('refuses %p', (value) => {
    const values: ResourceValue[] = [{ path: '/3303/0/5700', type: 'float', value }];
    expect(() => encodeSenmlJson(values)).toThrow(Malformed);
    expect(() => encodeSenmlCbor(values)).toThrow(Malformed);
  });

  it('is undone by decoding for 1,500 random packs', () => {
    const random = seeded(8_428);
    const value = (): Pick<ResourceValue, 'value' | 'type'> => {
      switch (random.below(6)) {
        case 0:
          return { type: 'string', value: random.text(20) };
        case 1:
          return { type: 'integer', value: random.below(2 ** 32) - 2 ** 31 };
        case 2:
          return { type: 'float', value: (random.below(2 ** 30) + 0.5) / 8 };
        case 3:
          return { type: 'boolean', value: random.chance(0.5) };
        case 4:
          return { type: 'opaque', value: random.bytes(30) };
        default:
          return { type: 'objlnk', value: { object: random.below(65_536), instance: random.below(65_536) } };
      }
    };
    for (let run = 0; run < 1_500; run++) {
      const values = Array.from({ length: random.below(6) }, () => ({
        path: `/${random.below(65_535)}/${random.below(9)}/${random.below(65_535)}`,
        ...value(),
        ...(random.chance(0.3) && { timeMs: 1_700_000_000_000 + random.below(1_000_000_000) }),
      }));
      const records = values.map(({ path, ...rest }) => ({ name: path, ...rest }));
      expect(decodeSenmlJson(encodeSenmlJson(values), nowMs)).toEqual(records);
      expect(decodeSenmlCbor(encodeSenmlCbor(values), nowMs)).toEqual(records);
    }
  });
});
