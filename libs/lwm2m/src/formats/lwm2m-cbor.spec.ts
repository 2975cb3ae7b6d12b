import { describe, expect, it } from '@jest/globals';
import { hex, seeded } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { type CborItem, encodeCborItem } from './cbor.js';
import { contentFormat } from './content-format.js';
import { decodeSend, decodeValues } from './decode.js';
import { encodeValues } from './encode.js';
import type { ResourceValue } from '../values/value.js';

const models = standardModels();
const map = (...entries: [CborItem, CborItem][]): CborItem => new Map(entries);
const read = (item: CborItem, path = '/3/0') =>
  decodeValues(contentFormat.lwm2mCbor, encodeCborItem(item), path, models).map((one) => [
    one.path,
    one.value,
    one.type,
  ]);

describe('LwM2M CBOR', () => {
  it('reads maps by single ids, and by lists of ids', () => {
    const expected = [
      ['/3/0/0', 'Lanyard', 'string'],
      ['/3/0/9', 95, 'integer'],
      ['/3/0/6/0', 1, 'integer'],
      ['/3/0/6/5', 5, 'integer'],
    ];
    const sources = map([0, 1], [5, 5]);
    expect(read(map([3, map([0, map([0, 'Lanyard'], [9, 95], [6, sources])])]))).toEqual(expected);
    expect(read(map([[3, 0], map([0, 'Lanyard'], [9, 95], [6, sources])]))).toEqual(expected);
    expect(read(map([[3, 0, 0], 'Lanyard'], [[3, 0, 9], 95], [[3, 0, 6], sources]))).toEqual(expected);
  });

  it('gives values the types of the models; links are text', () => {
    expect(read(map([[3303, 0, 5700], 21]), '/3303/0/5700')).toEqual([['/3303/0/5700', 21, 'float']]);
    expect(read(map([[3, 0, 22], '3:1']))).toEqual([['/3/0/22', { object: 3, instance: 1 }, 'objlnk']]);
    expect(read(map([[9, 0, 1], Buffer.from([1, 2])]), '/9/0')).toEqual([['/9/0/1', Buffer.from([1, 2]), 'opaque']]);
  });

  it('is written as maps by single ids', () => {
    const values = read(
      map([[3, 0], map([9, 95], [6, map([0, 1], [5, 5])], [22, '3:1'])], [[3303, 0, 5700], 21.5]),
    ).map(([path, value, type]) => ({ path, value, type }) as ResourceValue);
    expect(encodeValues(contentFormat.lwm2mCbor, '/', values)).toEqual(
      hex('a2 03a1 00a3 09185f 06a2 0001 0505 16 63333a31 190ce7a1 00a1 191644 fa41ac0000'),
    );
  });

  it('reads maps of indefinite length and tagged times, as other clients write them', () => {
    const bytes = hex('bf 82 03 00 bf 09 18 5f 0d c1 1a 5182428f 06 bf 00 01 ff ff ff');
    expect(decodeValues(contentFormat.lwm2mCbor, bytes, '/3/0', models)).toEqual([
      { path: '/3/0/9', type: 'integer', value: 95 },
      { path: '/3/0/13', type: 'time', value: 1_367_491_215 },
      { path: '/3/0/6/0', type: 'integer', value: 1 },
    ]);
  });

  it('is taken in a Send', () => {
    const payload = encodeCborItem(map([3303, map([0, map([5700, 21.5])])]));
    expect(decodeSend(contentFormat.lwm2mCbor, payload, models)).toMatchObject([{ path: '/3303/0/5700', value: 21.5 }]);
  });

  it.each<[string, CborItem]>([
    ['no map', [1]],
    ['a value above the resources', map([3, map([0, 'x'])])],
    ['a text for an id', map(['3', map([0, map([0, 'x'])])])],
    ['an id that is reserved', map([[3, 0, 65_535], 'x'])],
    ['no id', map([[], 'x'])],
    ['a path that is too long', map([[3, 0, 6, 1, 2], 1])],
    [
      'a list for a value',
      map([
        [3, 0, 6],
        [1, 2],
      ]),
    ],
    ['null', map([[3, 0, 0], null])],
    ['a prefix of a gateway', map(['d01', map([3, map([0, map([0, 'x'])])])])],
  ])('refuses %s', (_, item) => {
    expect(() => read(item)).toThrow(Malformed);
  });

  it('20,000 mutated payloads are read or refused', () => {
    const random = seeded(11_544);
    const plain = encodeCborItem(
      map([3, map([[0, 6], map([0, 1], [1, 5])])], [[3303, 0], map([5700, 21.5], [5701, 'C'])]),
    );
    for (let run = 0; run < 20_000; run++) {
      const bytes = Buffer.from(plain);
      for (let change = random.below(4); change >= 0; change--) bytes[random.below(bytes.length)] = random.below(256);
      try {
        decodeValues(contentFormat.lwm2mCbor, bytes, '/3/0', models);
      } catch (error) {
        if (!(error instanceof Malformed || error instanceof UnsupportedFormat)) throw error;
      }
    }
  });
});
