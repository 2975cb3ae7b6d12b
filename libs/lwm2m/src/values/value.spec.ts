import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { formatScalar, parseScalar, type ResourceType, type Scalar } from './value.js';
import { cpuMs } from '../../test/cpu-time.js';

describe('parseScalar', () => {
  it.each<[ResourceType, string, Scalar]>([
    ['string', '', ''],
    ['string', 'ä 1', 'ä 1'],
    ['corelnk', '</3/0>', '</3/0>'],
    ['integer', '-42', -42],
    ['integer', '+7', 7],
    ['integer', '-0', 0],
    ['integer', '9007199254740991', Number.MAX_SAFE_INTEGER],
    ['integer', '9007199254740993', 9_007_199_254_740_993n],
    ['integer', '-9223372036854775808', -(2n ** 63n)],
    ['unsigned', '18446744073709551615', 2n ** 64n - 1n],
    ['time', '1367491215', 1_367_491_215],
    ['float', '22.5', 22.5],
    ['float', '-.5', -0.5],
    ['float', '6.', 6],
    ['float', '1e-3', 0.001],
    ['boolean', '1', true],
    ['boolean', '0', false],
    ['boolean', 'true', true],
    ['boolean', 'false', false],
    ['opaque', 'AQID', Buffer.from([1, 2, 3])],
    ['opaque', 'AQI=', Buffer.from([1, 2])],
    ['opaque', 'AQI', Buffer.from([1, 2])],
    ['opaque', 'AQ==', Buffer.from([1])],
    ['opaque', '', Buffer.alloc(0)],
    ['objlnk', '66:0', { object: 66, instance: 0 }],
    ['objlnk', '65535:65535', { object: 65_535, instance: 65_535 }],
    ['none', 'x', 'x'],
  ])('%s "%s"', (type, text, value) => {
    expect(parseScalar(text, type)).toEqual(value);
  });

  it.each<[ResourceType, string]>([
    ['integer', ''],
    ['integer', '1.0'],
    ['integer', '1e3'],
    ['integer', ' 1'],
    ['integer', '0x10'],
    ['integer', '9223372036854775808'],
    ['integer', '99999999999999999999999999'],
    ['time', '-9223372036854775809'],
    ['unsigned', '-1'],
    ['unsigned', '18446744073709551616'],
    ['float', ''],
    ['float', '.'],
    ['float', '1,5'],
    ['float', 'NaN'],
    ['float', '1e999'],
    ['boolean', 'yes'],
    ['boolean', ''],
    ['opaque', 'A'],
    ['opaque', 'AQI=='],
    ['opaque', 'AQ='],
    ['opaque', '='],
    ['opaque', 'AQ=I'],
    ['opaque', 'A-_A'],
    ['opaque', 'AQID\n'],
    ['objlnk', '66'],
    ['objlnk', '66:'],
    ['objlnk', '65536:0'],
    ['objlnk', '0:99999'],
    ['objlnk', '-1:0'],
  ])('refuses %s "%s"', (type, text) => {
    expect(() => parseScalar(text, type)).toThrow(Malformed);
  });

  it.each<ResourceType>(['integer', 'unsigned', 'time', 'float', 'boolean', 'opaque', 'objlnk'])(
    'needs linear time for a long %s',
    (type) => {
      const startedMs = cpuMs();
      for (const text of [
        '1'.repeat(100_000) + 'x',
        '1.'.repeat(50_000),
        'A'.repeat(100_001) + '*',
        '='.repeat(100_000),
      ])
        expect(() => parseScalar(text, type)).toThrow(Malformed);
      expect(cpuMs() - startedMs).toBeLessThan(3_000);
    },
  );
});

describe('formatScalar', () => {
  it.each<[Scalar, string]>([
    [true, '1'],
    [false, '0'],
    [22.5, '22.5'],
    [2n ** 63n, '9223372036854775808'],
    [Buffer.from([1, 2]), 'AQI='],
    [{ object: 66, instance: 1 }, '66:1'],
    ['', ''],
  ])('%p', (value, text) => {
    expect(formatScalar(value)).toBe(text);
  });

  it('is undone by parseScalar for 10,000 random values', () => {
    const random = seeded(741);
    const bits = (): bigint => random.bytes(9).reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    const exact = (value: bigint): number | bigint =>
      value >= -(2n ** 53n) + 1n && value < 2n ** 53n ? Number(value) : value;
    const make: Record<string, () => Scalar> = {
      string: () => random.text(20),
      corelnk: () => random.text(20),
      integer: () => exact(BigInt.asIntN(64, bits())),
      time: () => exact(BigInt.asIntN(64, bits())),
      unsigned: () => exact(BigInt.asUintN(64, bits())),
      float: () => (random.below(2 ** 32) - 2 ** 31) * 10 ** (random.below(60) - 30) || 0,
      boolean: () => random.chance(0.5),
      opaque: () => random.bytes(30),
      objlnk: () => ({ object: random.below(65_536), instance: random.below(65_536) }),
    };
    for (let run = 0; run < 10_000; run++) {
      const type = random.pick(Object.keys(make));
      const value = make[type]!();
      expect(parseScalar(formatScalar(value), type as ResourceType)).toEqual(value);
    }
  });
});
