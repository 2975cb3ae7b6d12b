import { describe, expect, it } from '@jest/globals';
import { standardModels } from '../models/standard-models.js';
import { chooseAccept, chooseInsteadOfTlv, chooseWriteFormat, numberFor } from './choose-format.js';

const models = standardModels();
const modelOf = (path: string) => {
  const [, object, , resource] = path.split('/').map(Number);
  return resource === undefined ? undefined : models.resource(object as number, resource);
};

describe('chooseAccept', () => {
  it.each([
    ['a string', '/3/0/0', 0],
    ['a float', '/3303/0/5700', 0],
    ['an integer', '/3/0/9', 0],
    ['a boolean', '/3342/0/5500', 0],
    ['a time', '/3/0/13', 0],
    ['opaque bytes', '/5/0/0', 42],
    ['a resource of unknown type', '/40000/0/1', 0],
    ['a resource with several instances', '/3/0/6', 11_542],
    ['one of its instances', '/3/0/6/1', 0],
    ['an instance', '/3/0', 11_542],
    ['an object', '/3', 11_542],
  ])('%s: %s is asked for as %i, whatever else the device names', (_name, path, format) => {
    for (const named of [[], [112], [110, 112, 11_543]]) expect(chooseAccept(path, modelOf(path), named)).toBe(format);
  });

  it('goes by the numbers that the device knows', () => {
    expect(chooseAccept('/3', undefined, [1542, 1543])).toBe(1542);
    expect(chooseAccept('/3/0/0', modelOf('/3/0/0'), [1541])).toBe(1541);
  });
});

describe('numberFor', () => {
  it.each([
    [11_542, [1542], 1542],
    [11_542, [1542, 11_542], 11_542],
    [0, [1542], 0],
    [42, [], 42],
  ])('%i for a device that names %j is %i', (format, named, number) => {
    expect(numberFor(format, named)).toBe(number);
  });
});

describe('chooseWriteFormat', () => {
  it('is opaque for bytes and text for all else', () => {
    expect(chooseWriteFormat('opaque')).toBe(42);
    expect([chooseWriteFormat('integer'), chooseWriteFormat('string'), chooseWriteFormat(undefined)]).toEqual([
      0, 0, 0,
    ]);
  });
});

describe('the format of several values where TLV is refused', () => {
  it.each([
    [[], undefined],
    [[0, 11_542], undefined],
    [[110, 112], 112],
    [[60, 11_544], 11_544],
    [[110, 11_544], 110],
    [[1_541, 1_543], 1_543],
  ])('a device that names %j is asked for %s', (listed, expected) => expect(chooseInsteadOfTlv(listed)).toBe(expected));
});
