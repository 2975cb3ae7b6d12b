import { describe, expect, it } from '@jest/globals';
import { deviceTlv, deviceValues } from '../../test/device-object.js';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { decodeValues } from './decode.js';
import { encodeValues } from './encode.js';
import type { ResourceType, ResourceValue, Scalar } from '../values/value.js';

const models = standardModels();
const device = deviceValues as ResourceValue[];
const one = (path: string, type: ResourceType, value: Scalar): ResourceValue[] => [{ path, type, value }];

describe('encodeValues', () => {
  it('writes the Device object as the specification does', () => {
    expect(encodeValues(11_542, '/3/0', device)).toEqual(deviceTlv);
    expect(encodeValues(11_542, '/3', device)).toEqual(Buffer.concat([hex('080079'), deviceTlv]));
  });

  it.each<[string, number, ResourceValue[], Buffer]>([
    ['text', 0, one('/3303/0/5700', 'float', 22.5), Buffer.from('22.5')],
    ['text of bytes', 0, one('/5/0/0', 'opaque', hex('0102')), Buffer.from('AQI=')],
    ['text by its old number', 1541, one('/3/0/9', 'boolean', true), Buffer.from('1')],
    ['bytes', 42, one('/5/0/0', 'opaque', hex('0102')), hex('0102')],
    ['bytes of a text', 42, one('/3/0/0', 'string', 'U'), Buffer.from('U')],
    ['CBOR of a float', 60, one('/3303/0/5700', 'float', 22.5), hex('fa41b40000')],
    ['CBOR of an object link', 60, one('/1/0/10', 'objlnk', { object: 66, instance: 1 }), hex('6436363a31')],
    ['TLV of a resource', 11_542, one('/3303/0/5700', 'float', 22.5), hex('e4 1644 41b40000')],
    ['TLV of a resource instance', 11_542, one('/3/0/6/1', 'integer', 5), hex('83 06 41 01 05')],
  ])('writes %s', (_name, format, values, bytes) => {
    expect(encodeValues(format, values[0]!.path, values)).toEqual(bytes);
  });

  it.each<[string, number, string, ResourceValue[]]>([
    ['text of no value', 0, '/3/0/0', []],
    ['text of two', 0, '/3/0/0', device.slice(0, 2)],
    ['bytes of two', 42, '/3/0/0', device.slice(0, 2)],
    ['CBOR of two', 60, '/3/0/0', device.slice(0, 2)],
    ['TLV beside its path', 11_542, '/3/0', one('/5/0/1', 'string', 'x')],
    ['TLV with a value for an instance', 11_542, '/3', one('/3/0', 'string', 'x')],
    ['TLV with a path twice', 11_542, '/3/0', [...device, device[0]!]],
    [
      'TLV with a value and instances',
      11_542,
      '/3/0',
      [...one('/3/0/6', 'integer', 1), ...one('/3/0/6/0', 'integer', 1)],
    ],
    ['TLV of a number its type cannot hold', 11_542, '/3/0/9', one('/3/0/9', 'integer', 1.5)],
    ['a wrong path', 11_542, '/x', []],
    ['LwM2M CBOR with a value for an instance', 11_544, '/3', one('/3/0', 'string', 'x')],
    ['LwM2M CBOR with a path twice', 11_544, '/3/0', [...device, device[0]!]],
    [
      'LwM2M CBOR with a value and instances',
      11_544,
      '/3/0',
      [...one('/3/0/6', 'integer', 1), ...one('/3/0/6/0', 'integer', 1)],
    ],
    [
      'LwM2M CBOR with instances and a value',
      11_544,
      '/3/0',
      [...one('/3/0/6/0', 'integer', 1), ...one('/3/0/6', 'integer', 1)],
    ],
    ['SenML of no number', 110, '/3303/0/5700', one('/3303/0/5700', 'float', NaN)],
  ])('refuses %s', (_name, format, path, values) => {
    expect(() => encodeValues(format, path, values)).toThrow(Malformed);
  });

  it.each([40, 50, 320, 322, 11_543, 9_999])('cannot write format %i', (format) => {
    expect(() => encodeValues(format, '/3/0/0', device.slice(0, 1))).toThrow(UnsupportedFormat);
  });
});

describe('what is written', () => {
  const random = seeded(742);
  const valueOf = (type: ResourceType): Scalar => {
    switch (type) {
      case 'integer':
        return random.below(2 ** random.below(50)) * random.pick([1, -1]) || 0;
      case 'unsigned':
      case 'time':
        return random.below(2 ** random.below(50));
      case 'float':
        return (random.below(2 ** 30) - 2 ** 29) / random.pick([1, 2, 3, 1024]) || 0;
      case 'boolean':
        return random.chance(0.5);
      case 'opaque':
        return random.bytes(40);
      case 'objlnk':
        return { object: random.below(65_536), instance: random.below(65_536) };
      default:
        return random.text(20);
    }
  };
  const readable = [0, 1, 2, 3, 4, 5, 6, 7, 3303, 3311].map((id) => models.object(id)!);

  /** Some resources of some instances of an object, in the order in which TLV groups them. */
  const anyValues = (object: (typeof readable)[number]): ResourceValue[] =>
    Array.from({ length: 1 + random.below(3) }, (_, instance) =>
      [...object.resources]
        .filter(([, { type }]) => type !== 'none' && random.chance(0.5))
        .flatMap(([resource, { type, multiple }]) => {
          const path = `/${object.object}/${instance}/${resource}`;
          if (!multiple) return one(path, type, valueOf(type));
          return Array.from({ length: random.below(3) }, (_unused, i) => ({
            path: `${path}/${i * 200}`,
            type,
            value: valueOf(type),
          }));
        }),
    ).flat();

  it('is read back for 300 random objects, as TLV, SenML and LwM2M CBOR', () => {
    for (let run = 0; run < 300; run++) {
      const object = random.pick(readable);
      const values = anyValues(object);
      const path = `/${object.object}`;
      for (const format of [11_542, 110, 112, 11_544])
        expect(decodeValues(format, encodeValues(format, path, values), path, models)).toEqual(values);
    }
  });

  it('is read back for 1,000 random single values, as text, CBOR and TLV', () => {
    for (let run = 0; run < 1_000; run++) {
      const [value] = anyValues(random.pick(readable));
      if (!value) continue;
      for (const format of [0, 60, 11_542])
        expect(decodeValues(format, encodeValues(format, value.path, [value]), value.path, models)).toEqual([value]);
    }
  });
});
