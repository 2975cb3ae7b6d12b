import { describe, expect, it } from '@jest/globals';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { type CborItem, encodeCborItem } from './cbor.js';
import { contentFormat } from './content-format.js';
import { decodeSend } from './decode.js';
import { encodeValues } from './encode.js';
import { addPrefix, namesPaths, removePrefix, splitByPrefix } from './prefix.js';

const { senmlJson, senmlCbor, senmlEtchJson, lwm2mCbor, tlv } = contentFormat;
const models = standardModels();
const nowMs = 1_700_000_000_000;

const values = [
  { path: '/3303/0/5700', value: 21.5, type: 'float' },
  { path: '/3303/0/5701', value: 'Cel', type: 'string' },
] as const;

const json = (pack: unknown): Buffer => Buffer.from(JSON.stringify(pack));
const map = (...entries: [CborItem, CborItem][]): Map<CborItem, CborItem> => new Map(entries);

describe.each([
  ['SenML JSON', senmlJson],
  ['SenML CBOR', senmlCbor],
  ['LwM2M CBOR', lwm2mCbor],
])('a prefix in %s', (_, format) => {
  const plain = encodeValues(format, '/3303/0', [...values]);

  it('is added to each path, and removed from it', () => {
    const prefixed = addPrefix(format, plain, 'd01');
    expect(() => decodeSend(format, prefixed, models)).toThrow(Malformed);
    expect(decodeSend(format, removePrefix(format, prefixed, 'd01'), models)).toMatchObject(values);
  });

  it('tells devices apart', () => {
    const [a, own] = [addPrefix(format, plain, 'a'), plain];
    expect([...splitByPrefix(format, a).keys()]).toEqual(['a']);
    expect([...splitByPrefix(format, own).keys()]).toEqual(['']);
    expect(() => removePrefix(format, a, 'b')).toThrow('"a" in a payload of "b"');
    expect(() => removePrefix(format, own, 'b')).toThrow('"" in a payload of "b"');
  });
});

describe('a pack of several devices', () => {
  it('is divided, and each record keeps the base values that applied to it', () => {
    const pack = json([
      { bn: '/d01/3303/0/', bt: 1_600_000_000, bv: 20, n: '5700', v: 1.5 },
      { n: '5701', vs: 'Cel', t: 5 },
      { bn: '/3/0/', n: '9', v: 60 },
      { bn: '/d02', n: '/3303/0/5700', v: 2 },
    ]);
    const parts = splitByPrefix(senmlJson, pack);
    expect([...parts.keys()]).toEqual(['d01', '', 'd02']);
    const read = (prefix: string) => decodeSend(senmlJson, parts.get(prefix)!, models, nowMs);
    expect(read('d01')).toMatchObject([
      { path: '/3303/0/5700', value: 21.5, timeMs: 1_600_000_000_000 },
      { path: '/3303/0/5701', value: 'Cel', timeMs: 1_600_000_005_000 },
    ]);
    expect(read('')).toMatchObject([{ path: '/3/0/9', value: 80, timeMs: 1_600_000_000_000 }]);
    expect(read('d02')).toMatchObject([{ path: '/3303/0/5700', value: 22, timeMs: 1_600_000_000_000 }]);
  });

  it('may begin with a record of base values alone, which names no device', () => {
    const read = (format: number, bytes: Buffer) => decodeSend(format, removePrefix(format, bytes, 'd01'), models);
    const expected = [{ path: '/3303/0/5700', value: 2, timeMs: 1_600_000_000_000 }];
    const pack = json([{ bt: 1_600_000_000 }, { n: '/d01/3303/0/5700', v: 2 }]);
    expect(read(senmlJson, pack)).toMatchObject(expected);
    const bytes = encodeCborItem([map([-2, '/'], [-3, 1_600_000_000]), map([0, 'd01/3303/0/5700'], [2, 2])]);
    expect(read(senmlCbor, bytes)).toMatchObject(expected);
  });

  it('keeps a name that stands in a base name, without a value', () => {
    const pack = json([{ bn: '/d01/3/0/9' }, { bn: '/d02/', n: '3/0/9' }]);
    expect([...splitByPrefix(senmlEtchJson, pack).keys()]).toEqual(['d01', 'd02']);
  });

  it('in LwM2M CBOR has the prefix as a key or in front of ids', () => {
    const bytes = encodeCborItem(
      map(
        ['d01', map([3, map([0, map([0, 'x'])])])],
        [['d02', 3, 0, 0], 'y'],
        [['d03', 3], map([0, map([0, 'w'])])],
        [[3, 0, 0], 'z'],
      ),
    );
    const parts = splitByPrefix(lwm2mCbor, bytes);
    expect([...parts.keys()]).toEqual(['d01', 'd02', 'd03', '']);
    for (const [prefix, value] of [
      ['d01', 'x'],
      ['d02', 'y'],
      ['d03', 'w'],
      ['', 'z'],
    ] as const)
      expect(decodeSend(lwm2mCbor, parts.get(prefix)!, models)).toMatchObject([{ path: '/3/0/0', value }]);
  });
});

describe('an integer of 64 bits in SenML JSON', () => {
  it.each(['9007199254740993', '-9223372036854775807', '18446744073709551615'])('keeps its digits: %s', (value) => {
    const plain = `[{"n":"/3303/0/5700","v":${value}}]`;
    const prefixed = addPrefix(senmlJson, Buffer.from(plain), 'd01');
    expect(prefixed.toString()).toBe(`[{"n":"/3303/0/5700","v":${value},"bn":"/d01"}]`);
    expect(removePrefix(senmlJson, prefixed, 'd01').toString()).toBe(plain);
  });

  it('keeps them as a base value, beside numbers that are none', () => {
    const pack = '[{"bn":"/d01/3303/0/","bv":9007199254740993,"n":"5700","v":0.1234567890123456},{"n":"5701","v":1}]';
    const [own = ''] = [...splitByPrefix(senmlJson, Buffer.from(pack)).values()].map(String);
    expect(own).toBe(
      '[{"bv":9007199254740993,"n":"/3303/0/5700","v":0.1234567890123456},' +
        '{"bv":9007199254740993,"n":"/3303/0/5701","v":1}]',
    );
  });
});

describe('a prefix in a request', () => {
  it('stands before a base name, and before names without one', () => {
    expect(JSON.parse(addPrefix(senmlEtchJson, json([{ n: '/3/0' }, { n: '/3303' }]), 'd01').toString())).toEqual([
      { n: '/3/0', bn: '/d01' },
      { n: '/3303' },
    ]);
    expect(JSON.parse(addPrefix(senmlJson, json([{ bn: '/3/0/', n: '9' }]), 'd01').toString())).toEqual([
      { bn: '/d01/3/0/', n: '9' },
    ]);
  });

  it('cannot be escaped by a name of another device', () => {
    const hostile = addPrefix(
      senmlJson,
      json([
        { bn: '/d02/3/0/', n: '9', v: 1 },
        { bn: '', n: '/3/0/9', v: 1 },
      ]),
      'd01',
    );
    expect([...splitByPrefix(senmlJson, hostile).keys()]).toEqual(['d01']);
  });
});

describe('refused', () => {
  it.each<[string, number, Buffer]>([
    ['no JSON', senmlJson, Buffer.from('[{')],
    ['no array', senmlJson, json({})],
    ['a record that is no object', senmlJson, json([1])],
    ['a record that is an integer of 64 bits', senmlJson, Buffer.from('[9007199254740993]')],
    ['a name that is no text', senmlJson, json([{ n: 1 }])],
    ['a base name that is no text', senmlCbor, encodeCborItem([map([-2, 1])])],
    [
      'a base unit of 65 characters',
      senmlJson,
      json([
        { bn: '/3/0/', bu: 'x'.repeat(65) },
        { n: '9', v: 1 },
      ]),
    ],
    ['a base unit of 65 characters in CBOR', senmlCbor, encodeCborItem([map([-2, '/3/0/'], [-4, 'x'.repeat(65)])])],
    [
      'a base value that is a list',
      senmlJson,
      json([
        { bn: '/3/0/', bv: [1] },
        { n: '9', v: 1 },
      ]),
    ],
    ['no CBOR', senmlCbor, Buffer.from([0xff])],
    ['no map', lwm2mCbor, encodeCborItem([1])],
    ['a prefix without a map', lwm2mCbor, encodeCborItem(map(['d01', 1]))],
    ['a path twice', lwm2mCbor, encodeCborItem(map(['d01', map([3, 1])], [['d01', 3], 1]))],
  ])('%s', (_, format, bytes) => {
    expect(() => splitByPrefix(format, bytes)).toThrow(Malformed);
  });

  it('but not a base unit of 64 characters', () => {
    const pack = json([{ bu: 'x'.repeat(64), n: '/3/0/9', v: 1 }]);
    expect(splitByPrefix(senmlJson, pack)).toEqual(new Map([['', pack]]));
  });

  it('a format that names no paths', () => {
    expect(namesPaths(tlv)).toBe(false);
    expect(() => splitByPrefix(tlv, Buffer.alloc(0))).toThrow(UnsupportedFormat);
    expect(() => addPrefix(tlv, Buffer.alloc(0), 'd01')).toThrow(UnsupportedFormat);
  });
});
