import { describe, expect, it } from '@jest/globals';
import { deviceCbor, deviceJson, deviceSenml, deviceTlv, deviceValues } from '../../test/device-object.js';
import { hex } from '../../test/seeded.js';
import { Malformed, UnsupportedFormat } from '../errors.js';
import { standardModels } from '../models/standard-models.js';
import { decodeSend, decodeValues } from './decode.js';

const models = standardModels();
const nowMs = Date.UTC(2024, 0, 1);
const decode = (format: number, bytes: Buffer | string, path: string) =>
  decodeValues(format, Buffer.from(bytes as string), path, models, nowMs);

describe('the Device object', () => {
  it.each<[string, number, Buffer | string, string]>([
    ['TLV of an instance', 11_542, deviceTlv, '/3/0'],
    ['TLV of an object', 11_542, Buffer.concat([hex('080079'), deviceTlv]), '/3'],
    ['TLV of an instance that is wrapped', 11_542, Buffer.concat([hex('080079'), deviceTlv]), '/3/0'],
    ['TLV by its old number', 1542, deviceTlv, '/3/0'],
    ['TLV by the number of Mbed Client', 99, deviceTlv, '/3/0'],
    ['SenML JSON', 110, deviceSenml, '/3/0'],
    ['SenML CBOR', 112, deviceCbor, '/3'],
    ['LwM2M JSON', 11_543, deviceJson, '/3/0'],
    ['LwM2M JSON without a base name', 11_543, deviceJson.replace('"bn":"/3/0/",', ''), '/3/0'],
    ['LwM2M JSON as application/json', 50, deviceJson, '/3/0'],
  ])('is the same in %s', (_name, format, bytes, path) => {
    expect(decode(format, bytes, path)).toEqual(deviceValues);
  });
});

describe('single values', () => {
  it.each<[string, number, Buffer | string, string, object]>([
    ['text of a float', 0, '22.5', '/3303/0/5700', { type: 'float', value: 22.5 }],
    ['text of a boolean', 0, '1', '/3311/0/5850', { type: 'boolean', value: true }],
    ['text of an unknown resource', 0, '22.5', '/32769/0/1', { type: 'string', value: '22.5' }],
    ['text of bytes', 0, 'AQI=', '/5/0/0', { type: 'opaque', value: hex('0102') }],
    ['text of a resource instance', 0, '5', '/3/0/6/1', { type: 'integer', value: 5 }],
    ['text by its old number', 1541, 'x', '/3/0/0', { type: 'string', value: 'x' }],
    ['bytes', 42, hex('0102'), '/3/0/0', { type: 'opaque', value: hex('0102') }],
    ['CBOR of a whole number', 60, hex('1864'), '/3/0/9', { type: 'integer', value: 100 }],
    ['CBOR of a whole number that is a float', 60, hex('16'), '/3303/0/5700', { type: 'float', value: 22 }],
    ['CBOR of a number of an unknown resource', 60, hex('16'), '/32769/0/1', { type: 'integer', value: 22 }],
    ['CBOR of a float of an unknown resource', 60, hex('f94100'), '/32769/0/1', { type: 'float', value: 2.5 }],
    ['CBOR of a tagged time', 60, hex('c11a5182428f'), '/3/0/13', { type: 'time', value: 1_367_491_215 }],
    [
      'CBOR of an object link',
      60,
      hex('6436363a31'),
      '/1/0/10',
      { type: 'objlnk', value: { object: 66, instance: 1 } },
    ],
    ['CBOR of text', 60, hex('6155'), '/3/0/16', { type: 'string', value: 'U' }],
    ['CBOR of bytes', 60, hex('420102'), '/5/0/0', { type: 'opaque', value: hex('0102') }],
    ['CBOR of a boolean', 60, hex('f5'), '/3311/0/5850', { type: 'boolean', value: true }],
    ['TLV of a resource', 11_542, hex('e4 1644 41b40000'), '/3303/0/5700', { type: 'float', value: 22.5 }],
    ['TLV of an unknown resource', 11_542, hex('c2 01 0102'), '/32769/0/1', { type: 'opaque', value: hex('0102') }],
    ['TLV of a resource instance', 11_542, hex('41 01 05'), '/3/0/6/1', { type: 'integer', value: 5 }],
    [
      'TLV of a resource instance in its resource',
      11_542,
      hex('83 06 41 01 05'),
      '/3/0/6/1',
      { type: 'integer', value: 5 },
    ],
  ])('%s', (_name, format, bytes, path, expected) => {
    expect(decode(format, bytes, path)).toEqual([{ path, ...expected }]);
  });

  it('keeps its own copy of bytes', () => {
    const payload = hex('0102');
    const [value] = decodeValues(42, payload, '/5/0/0', models);
    payload.fill(0);
    expect(value?.value).toEqual(hex('0102'));
  });

  it('reads object links of several instances', () => {
    const bytes = hex('88 00 0C 44 00 00420000 44 01 00420001');
    expect(decode(11_542, bytes, '/3/0').map(({ path }) => path)).toEqual(['/3/0/0/0', '/3/0/0/1']);
    expect(decode(11_542, hex('88 16 0C 44 00 00420000 44 01 00420001'), '/3/0/22')).toEqual([
      { path: '/3/0/22/0', type: 'objlnk', value: { object: 66, instance: 0 } },
      { path: '/3/0/22/1', type: 'objlnk', value: { object: 66, instance: 1 } },
    ]);
  });

  it('gives SenML numbers the type of their model', () => {
    const text = '[{"bn":"/3303/0/","n":"5700","v":22,"t":-1},{"n":"5518","v":5},{"n":"5701","vs":"Cel"}]';
    expect(decode(110, text, '/3303/0').map(({ type, timeMs }) => [type, timeMs])).toEqual([
      ['float', nowMs - 1_000],
      ['time', undefined],
      ['string', undefined],
    ]);
  });
});

describe('what does not fit', () => {
  it.each<[string, number, Buffer | string, string]>([
    ['text of an instance', 0, '1', '/3/0'],
    ['bytes of an object', 42, '1', '/3'],
    ['CBOR of an instance', 60, hex('01'), '/3/0'],
    ['CBOR of an array', 60, hex('8101'), '/3/0/9'],
    ['CBOR of null', 60, hex('f6'), '/3/0/9'],
    ['CBOR of a text that is no link', 60, hex('6155'), '/1/0/10'],
    ['text that is no number', 0, 'abc', '/3303/0/5700'],
    ['a wrong path', 0, '1', '/3/0/x'],
    ['the root as a path', 110, '[]', '/'],
    ['TLV of another instance', 11_542, hex('03 01 c1 09 64'), '/3/0'],
    ['TLV of another resource', 11_542, hex('c1 0a 64'), '/3/0/9'],
    ['TLV of another multiple resource', 11_542, hex('83 07 41 00 01'), '/3/0/6'],
    ['TLV of another resource instance', 11_542, hex('41 02 05'), '/3/0/6/1'],
    ['TLV of a resource for an object', 11_542, hex('c1 09 64'), '/3'],
    ['TLV of a multiple resource for an object', 11_542, hex('83 06 41 00 01'), '/3'],
    ['TLV of a resource instance for an instance', 11_542, hex('41 00 05'), '/3/0'],
    ['TLV of the reserved id', 11_542, hex('e1 ffff 05'), '/3/0'],
    ['TLV of a wrong length for its type', 11_542, hex('c3 09 000064'), '/3/0'],
    ['SenML that names no path', 110, '[{"n":"temperature","v":1}]', '/3/0'],
    ['SenML that gives an instance a value', 110, '[{"n":"/3/0","v":1}]', '/3/0'],
    ['LwM2M JSON that gives an instance a value', 11_543, '{"bn":"/3/0","e":[{"n":"1","v":1}]}', '/3/0'],
  ])('%s is malformed', (_name, format, bytes, path) => {
    expect(() => decode(format, bytes, path)).toThrow(Malformed);
  });

  it.each([
    ['a NUL', '/3303/0/5700\0', '/3303/0/5700\ufffd'],
    ['half of a surrogate pair', `/${'x'.repeat(38)}\u{1f600}`, `/${'x'.repeat(38)}\ufffd`],
  ])('is named without %s, so that the event log can store it', (_name, name, shown) => {
    const pack = JSON.stringify([{ n: name, v: 1 }]);
    expect(() => decode(110, pack, '/3303/0')).toThrow(`senml: "${shown}" is no path of a resource`);
  });

  it('opaque values in LwM2M JSON are base64', () => {
    const json = (n: string, sv: string): string => JSON.stringify({ bn: '/5/0/', e: [{ n, sv }] });
    expect(decode(11_543, json('0', 'AP8='), '/5/0')).toEqual([
      { path: '/5/0/0', type: 'opaque', value: Buffer.from([0, 255]) },
    ]);
    expect(decode(1543, json('1', 'AP8='), '/5/0')).toMatchObject([{ type: 'string', value: 'AP8=' }]);
    expect(() => decode(11_543, json('0', 'no base64'), '/5/0')).toThrow(Malformed);
  });

  it.each([40, 320, 9_999, -1, NaN])('format %p is not supported', (format) => {
    expect(() => decode(format, '', '/3/0/0')).toThrow(UnsupportedFormat);
  });
});

describe('decodeSend', () => {
  it('reads SenML of both kinds, and paths of any object', () => {
    const text = Buffer.from('[{"bn":"/3303/0/","n":"5700","v":22},{"bn":"/3/0/","n":"9","v":50},{"n":"10"}]');
    const expected = [
      { path: '/3303/0/5700', type: 'float', value: 22 },
      { path: '/3/0/9', type: 'integer', value: 50 },
    ];
    expect(decodeSend(110, text, models, nowMs)).toEqual(expected);
    expect(decodeSend(112, deviceCbor, models, nowMs)).toEqual(deviceValues);
  });

  it.each([0, 60, 11_542, 11_543])('does not take format %i', (format) => {
    expect(() => decodeSend(format, Buffer.alloc(0), models)).toThrow(UnsupportedFormat);
  });
});
