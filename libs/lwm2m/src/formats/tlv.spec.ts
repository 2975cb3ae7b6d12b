import { describe, expect, it } from '@jest/globals';
import { deviceTlv } from '../../test/device-object.js';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { recordsMax } from './senml.js';
import { decodeTlv, encodeTlv, scalarTlv, type TlvEntry, type TlvKind, tlvScalar } from './tlv.js';
import type { ResourceType, Scalar } from '../values/value.js';

const none = Buffer.alloc(0);
const leaf = (kind: TlvKind, id: number, value: Buffer): TlvEntry => ({ kind, id, value, children: [] });

describe('decodeTlv', () => {
  it('reads the resources of the Device object', () => {
    const entries = decodeTlv(deviceTlv);
    expect(entries.map(({ id }) => id)).toEqual([0, 1, 2, 3, 6, 7, 8, 9, 10, 11, 13, 14, 16]);
    expect(entries[0]).toEqual(leaf('resource', 0, Buffer.from('Open Mobile Alliance')));
    expect(entries[4]).toMatchObject({
      kind: 'multiple-resource',
      children: [leaf('resource-instance', 0, hex('01')), leaf('resource-instance', 1, hex('05'))],
    });
    expect(encodeTlv(entries)).toEqual(deviceTlv);
  });

  it('reads instances of the Access Control object, one with a 16-bit id in it', () => {
    const bytes = hex(`
      08 00 0E C1 00 01 C1 01 00 83 02 41 7F 07 C1 03 7F
      08 02 12 C1 00 03 C1 01 00 87 02 41 7F 07 61 01 36 01 C1 03 7F`);
    const [first, second] = decodeTlv(bytes);
    expect(first).toMatchObject({ kind: 'object-instance', id: 0 });
    expect(second).toMatchObject({ kind: 'object-instance', id: 2 });
    expect(second?.children[2]?.children).toEqual([
      leaf('resource-instance', 127, hex('07')),
      leaf('resource-instance', 310, hex('01')),
    ]);
    expect(encodeTlv(decodeTlv(bytes))).toEqual(bytes);
  });

  it.each([
    ['8-bit', 200, 'c8 05 c8'],
    ['16-bit', 300, 'd0 05 012c'],
    ['24-bit', 70_000, 'd8 05 011170'],
  ])('reads and writes a length of %s', (_name, length, head) => {
    const value = Buffer.alloc(length, 0x61);
    const bytes = Buffer.concat([hex(head), value]);
    expect(decodeTlv(bytes)).toEqual([leaf('resource', 5, value)]);
    expect(encodeTlv([leaf('resource', 5, value)])).toEqual(bytes);
  });

  it('reads a length in more bytes than it needs, a 16-bit id below 256, and nothing', () => {
    expect(decodeTlv(hex('d8 05 000001 61'))).toEqual([leaf('resource', 5, hex('61'))]);
    expect(decodeTlv(hex('e1 0005 61'))).toEqual([leaf('resource', 5, hex('61'))]);
    expect(decodeTlv(none)).toEqual([]);
  });

  it.each([
    ['no id', 'c1'],
    ['half of an id', 'e1 00'],
    ['no length', 'c8 00'],
    ['half of a length', 'd0 00 01'],
    ['a value that is cut off', 'c2 00 61'],
    ['16 MiB that are not there', 'd8 00 ffffff 61'],
    ['a child that overruns its parent', '83 06 42 00 01 05'],
    ['an instance in an instance', '02 00 00 00'],
    ['a resource instance in an instance', '03 00 41 00 01'],
    ['a resource in a multiple resource', '83 06 c1 00 01'],
    ['a multiple resource in a multiple resource', '82 06 80 00'],
  ])('refuses %s', (_name, bytes) => {
    expect(() => decodeTlv(hex(bytes))).toThrow(Malformed);
  });
});

describe('the number of entries', () => {
  const resources = (n: number): TlvEntry[] => Array.from({ length: n }, (_, id) => leaf('resource', id, none));

  it('is that of the records in a pack', () => {
    expect(decodeTlv(encodeTlv(resources(recordsMax)))).toHaveLength(recordsMax);
    expect(() => decodeTlv(encodeTlv(resources(recordsMax + 1)))).toThrow(/more than 10000 entries/);
  });

  it('counts those of all instances', () => {
    const instances = [0, 1].map((id) => ({
      ...leaf('object-instance', id, none),
      children: resources(recordsMax / 2),
    }));
    expect(() => decodeTlv(encodeTlv(instances))).toThrow(Malformed);
  });
});

describe('encodeTlv', () => {
  it.each([-1, 65_536, 1.5, Number.NaN])('refuses the id %p', (id) => {
    expect(() => encodeTlv([leaf('resource', id, none)])).toThrow(Malformed);
  });

  it('refuses a value of 16 MiB', () => {
    expect(() => encodeTlv([leaf('resource', 0, Buffer.alloc(0x100_0000))])).toThrow(/longer than 16777215 bytes/);
  });

  it('is undone by decodeTlv for 1,000 random trees', () => {
    const random = seeded(11_542);
    const id = (): number => random.below(random.chance(0.3) ? 65_536 : 256);
    const value = (): Buffer => random.bytes(random.chance(0.1) ? 400 : 12);
    const tree = (kind: TlvKind): TlvEntry => {
      if (kind === 'resource' || kind === 'resource-instance') return leaf(kind, id(), value());
      const inside: TlvKind[] = kind === 'object-instance' ? ['resource', 'multiple-resource'] : ['resource-instance'];
      const children = Array.from({ length: random.below(4) }, () => tree(random.pick(inside)));
      return { kind, id: id(), value: encodeTlv(children), children };
    };
    for (let run = 0; run < 1_000; run++) {
      const entries = Array.from({ length: random.below(4) }, () =>
        tree(random.pick(['object-instance', 'resource-instance', 'multiple-resource', 'resource'] as const)),
      );
      expect(decodeTlv(encodeTlv(entries))).toEqual(entries);
    }
  });
});

describe('scalars', () => {
  it.each<[ResourceType, string, Scalar]>([
    ['string', '55', 'U'],
    ['corelnk', '3c2f333e', '</3>'],
    ['integer', '64', 100],
    ['integer', 'ff', -1],
    ['integer', '0384', 900],
    ['integer', '8000', -32_768],
    ['integer', '00008000', 32_768],
    ['integer', '0000000080000000', 2_147_483_648],
    ['integer', '8000000000000000', -(2n ** 63n)],
    ['unsigned', 'ff', 255],
    ['unsigned', 'c0a8', 49_320],
    ['unsigned', 'ffffffffffffffff', 2n ** 64n - 1n],
    ['time', '5182428f', 1_367_491_215],
    ['float', '41b40000', 22.5],
    ['float', '3ff199999999999a', 1.1],
    ['float', '80000000', -0],
    ['boolean', '01', true],
    ['boolean', '00', false],
    ['objlnk', '00420001', { object: 66, instance: 1 }],
    ['opaque', '00ff', hex('00ff')],
    ['none', '00', hex('00')],
  ])('%s %s', (type, bytes, value) => {
    expect(tlvScalar(hex(bytes), type)).toEqual(value);
    expect(scalarTlv(value, type)).toEqual(hex(bytes));
  });

  it.each<[ResourceType, string]>([
    ['integer', ''],
    ['integer', '000000'],
    ['unsigned', '000000000000000000'],
    ['time', '0000000000'],
    ['float', '41b4'],
    ['boolean', ''],
    ['boolean', '02'],
    ['boolean', '0001'],
    ['objlnk', '0042'],
  ])('refuses %s "%s"', (type, bytes) => {
    expect(() => tlvScalar(hex(bytes), type)).toThrow(Malformed);
  });

  it('writes a whole number of a float resource as a float, and so a bigint', () => {
    expect(scalarTlv(22, 'float')).toEqual(hex('41b00000'));
    expect(scalarTlv(2n ** 60n, 'float')).toEqual(hex('5d800000'));
  });

  it.each<[Scalar, ResourceType]>([
    [1.5, 'integer'],
    [Number.NaN, 'time'],
    [Infinity, 'unsigned'],
    [-1, 'unsigned'],
    [2n ** 63n, 'integer'],
    [2n ** 64n, 'unsigned'],
    [{ object: 65_536, instance: 0 }, 'objlnk'],
  ])('does not wrap %p into %s', (value, type) => {
    expect(() => scalarTlv(value, type)).toThrow(Malformed);
  });
});
