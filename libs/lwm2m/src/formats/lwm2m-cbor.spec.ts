import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { type CborItem, encodeCborItem } from './cbor.js';
import { contentFormat } from './content-format.js';
import { decodeSend, decodeValues } from './decode.js';

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
