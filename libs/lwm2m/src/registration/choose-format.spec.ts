import { describe, expect, it } from '@jest/globals';
import { chooseAccept, chooseWriteFormat, numberFor } from './choose-format.js';

describe('chooseAccept', () => {
  it.each([
    ['the most compact a device names', [0, 60, 110, 112, 11_542, 11_543], 112],
    ['TLV before JSON', [110, 11_542], 11_542],
    ['SenML JSON before that of LwM2M 1.0', [11_543, 110], 110],
    ['the JSON of LwM2M 1.0', [11_543], 11_543],
    ['an old number where the device names that', [1542, 1543], 1542],
    ['the number of today where it names both', [1543, 11_543], 11_543],
    ['TLV where none is named', [], 11_542],
    ['TLV where none that is named is structured', [0, 42, 60], 11_542],
  ])('asks for %s', (_name, rootContentFormats, format) => {
    expect(chooseAccept('/3/0', { version: '1.1', rootContentFormats })).toBe(format);
    expect(chooseAccept('/3', { version: '1.0', rootContentFormats })).toBe(format);
  });

  it.each(['/3/0/0', '/3/0/6/1'])('leaves the choice to the device for %s', (path) => {
    expect(chooseAccept(path, { version: '1.1', rootContentFormats: [112] })).toBeUndefined();
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
