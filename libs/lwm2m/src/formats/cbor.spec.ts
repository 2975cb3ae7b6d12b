import { describe, expect, it } from '@jest/globals';
import { Decoder, Encoder } from 'cbor-x';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { type CborItem, decodeCborItem, encodeCborItem } from './cbor.js';

describe('decodeCborItem', () => {
  // RFC 8949 appendix A.
  it.each<[string, CborItem]>([
    ['00', 0],
    ['17', 23],
    ['1818', 24],
    ['1903e8', 1000],
    ['1a000f4240', 1_000_000],
    ['1b000000e8d4a51000', 1_000_000_000_000],
    ['1bffffffffffffffff', 18_446_744_073_709_551_615n],
    ['3bffffffffffffffff', -18_446_744_073_709_551_616n],
    ['20', -1],
    ['3903e7', -1000],
    ['f98000', -0],
    ['f93c00', 1],
    ['f97bff', 65_504],
    ['f90001', 5.960464477539063e-8],
    ['f90400', 0.00006103515625],
    ['f9c400', -4],
    ['f97c00', Infinity],
    ['f97e00', NaN],
    ['f9fc00', -Infinity],
    ['fa47c35000', 100_000],
    ['fb3ff199999999999a', 1.1],
    ['fb7e37e43c8800759c', 1e300],
    ['f4', false],
    ['f5', true],
    ['f6', null],
    ['f7', undefined],
    ['c074323031332d30332d32315432303a30343a30305a', 1_363_896_240],
    ['c11a514b67b0', 1_363_896_240],
    ['c1fb41d452d9ec200000', 1_363_896_240.5],
    ['c48221196ab3', 273.15],
    ['c482213901f3', -5],
    ['c4820205', 500],
    ['c482201bffffffffffffffff', 2 ** 64 / 10],
    ['40', Buffer.alloc(0)],
    ['4401020304', hex('01020304')],
    ['60', ''],
    ['62225c', '"\\'],
    ['62c3bc', 'ü'],
    ['80', []],
    ['8301820203820405', [1, [2, 3], [4, 5]]],
    [
      'a201020304',
      new Map([
        [1, 2],
        [3, 4],
      ]),
    ],
    [
      'a26161016162820203',
      new Map<CborItem, CborItem>([
        ['a', 1],
        ['b', [2, 3]],
      ]),
    ],
    ['5f42010243030405ff', hex('0102030405')],
    ['7f657374726561646d696e67ff', 'streaming'],
    ['9fff', []],
    ['9f018202039f0405ffff', [1, [2, 3], [4, 5]]],
    [
      'bf6346756ef563416d7421ff',
      new Map<CborItem, CborItem>([
        ['Fun', true],
        ['Amt', -2],
      ]),
    ],
  ])('reads %s', (bytes, item) => {
    expect(decodeCborItem(hex(bytes))).toEqual(item);
  });

  it.each([
    ['nothing', ''],
    ['an argument that is cut off', '19 03'],
    ['a float that is cut off', 'fb 3ff1'],
    ['a text of 2^64 - 1 bytes', '7b ffffffffffffffff 61'],
    ['bytes of 2^32 - 1', '5a ffffffff 00'],
    ['an array of 2^32 - 1 items', '9a ffffffff 00'],
    ['an array of 2^64 - 1 items', '9b ffffffffffffffff 00'],
    ['a map of 2^31 entries', 'ba 80000000 00 00'],
    ['a map with a key and no value', 'a1 01'],
    ['a map with a key twice', 'a2 01 02 01 03'],
    ['a map of indefinite length with a key twice', 'bf 61 61 02 61 61 03 ff'],
    ['an array without its end', '9f 01'],
    ['a map that ends behind a key', 'bf 01 ff'],
    ['a text with a part that is bytes', '7f 41 61 ff'],
    ['a text with a part of indefinite length', '7f 7f 61 61 ff ff'],
    ['an integer of indefinite length', '1f'],
    ['a tag of indefinite length', 'df 00'],
    ['a stop alone', 'ff'],
    ['a reserved head', '1c'],
    ['a simple value without meaning', 'f0'],
    ['a second item', '01 02'],
    ['a tag that is no time', 'c2 41 01'],
    ['a time that is none', 'c0 63 61 62 63'],
    ['a time of the wrong kind', 'c1 61 31'],
    ['a decimal fraction that is no array', 'c4 01'],
    ['a decimal fraction of three numbers', 'c4 83 20 01 01'],
    ['a decimal fraction whose exponent is no integer', 'c4 82 fb3ff8000000000000 01'],
    ['a decimal fraction beyond all numbers', 'c4 82 19 03e8 01'],
    ['nesting beyond what LwM2M has', `${'81'.repeat(9)} 00`],
  ])('refuses %s', (_name, bytes) => {
    expect(() => decodeCborItem(hex(bytes))).toThrow(Malformed);
  });

  it('refuses more items than a message of LwM2M may have', () => {
    const array = (count: number): Buffer => Buffer.concat([hex('9f'), Buffer.alloc(count), hex('ff')]);
    expect(decodeCborItem(array(199_999))).toHaveLength(199_999);
    expect(() => decodeCborItem(array(200_000))).toThrow('has more than 200000 items');
  });

  it('counts the parts of a text of indefinite length as items', () => {
    const text = (parts: number): Buffer => Buffer.concat([hex('7f'), Buffer.alloc(parts, 0x60), hex('ff')]);
    expect(decodeCborItem(text(199_999))).toBe('');
    expect(() => decodeCborItem(text(200_000))).toThrow('has more than 200000 items');
  });

  it('reads eight levels', () => {
    expect(decodeCborItem(hex(`${'81'.repeat(8)} 00`))).toEqual([[[[[[[[0]]]]]]]]);
  });
});

describe('encodeCborItem', () => {
  it.each<[CborItem, string]>([
    [0, '00'],
    [24, '1818'],
    [255, '18ff'],
    [256, '190100'],
    [65_536, '1a00010000'],
    [5_996_108_224, '1b00000001656559c0'],
    [2n ** 64n - 1n, '1bffffffffffffffff'],
    [-1, '20'],
    [-(2n ** 64n), '3bffffffffffffffff'],
    [22.5, 'fa41b40000'],
    [1.1, 'fb3ff199999999999a'],
    [-0, 'fa80000000'],
    [true, 'f5'],
    [null, 'f6'],
    ['ü', '62c3bc'],
    [hex('0102'), '420102'],
    [[1, [2]], '82018102'],
    [new Map([[-2, '/3/']]), 'a121632f332f'],
  ])('writes %p', (item, bytes) => {
    expect(encodeCborItem(item)).toEqual(hex(bytes));
  });

  it('refuses integers of more than 64 bits', () => {
    expect(() => encodeCborItem(2n ** 64n)).toThrow(Malformed);
    expect(() => encodeCborItem(-(2n ** 64n) - 1n)).toThrow(Malformed);
  });

  it('is undone by decodeCborItem, and cbor-x agrees both ways, for 1,000 random items', () => {
    const random = seeded(8_949);
    const other = new Decoder({ mapsAsObjects: false, useRecords: false });
    const writer = new Encoder({ mapsAsObjects: false, useRecords: false, tagUint8Array: false });
    const scalar = (): CborItem => {
      switch (random.below(6)) {
        case 0:
          return random.below(2 ** random.below(33)) * random.pick([1, -1]) || 0;
        case 1:
          return (random.below(2 ** 32) + 0.5) / 2 ** random.below(20);
        case 2:
          return random.text(random.chance(0.1) ? 300 : 12);
        case 3:
          return random.chance(0.5);
        case 4:
          return random.bytes(random.chance(0.1) ? 300 : 12);
        default:
          return null;
      }
    };
    const item = (depth: number): CborItem => {
      if (depth === 0 || random.chance(0.4)) return scalar();
      const length = random.below(random.chance(0.1) ? 30 : 4);
      if (random.chance(0.5)) return Array.from({ length }, () => item(depth - 1));
      return new Map(Array.from({ length }, () => [random.below(40) - 10, item(depth - 1)]));
    };
    for (let run = 0; run < 1_000; run++) {
      const given = item(4);
      const bytes = encodeCborItem(given);
      expect(decodeCborItem(bytes)).toEqual(given);
      expect(other.decode(bytes)).toEqual(given);
      expect(decodeCborItem(Buffer.from(writer.encode(given)))).toEqual(given);
    }
  });
});
