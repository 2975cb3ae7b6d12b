import { describe, expect, it } from '@jest/globals';
import { contentFormat, encodeValues, mediaTypeOf, type ResourceValue, standardModels } from '@lanyard/lwm2m';
import { decode } from './decode.js';

const models = standardModels();
const text = 'text/plain';
const tlv = 'application/vnd.oma.lwm2m+tlv';
const senml = 'application/senml+json';
const lwm2mCbor = 'application/vnd.oma.lwm2m+cbor';
/** {33000: {0: {1: {0: 1, 1: NaN}}}} */
const notANumber = Buffer.from('a11980e8a100a101a2000101f97e00', 'hex');
/** 2^53 + 1 */
const longInteger = Buffer.from('1b0020000000000001', 'hex');

describe('the value beside its bytes', () => {
  it.each<[string, string, string, string | Buffer, unknown]>([
    ['a float', '/3303/0/5700', text, '21.50', 21.5],
    ['a text', '/3/0/0', text, 'Lanyard', 'Lanyard'],
    ['an integer', '/3/0/9', text, '87', 87],
    ['an integer that no number holds', '/3/0/13', text, '9223372036854775807', '9223372036854775807'],
    ['such an integer in JSON', '/3/0/13', senml, '[{"n":"/3/0/13","v":9007199254740993}]', '9007199254740993'],
    ['a float as such an integer', '/3303/0/5700', senml, '[{"n":"/3303/0/5700","v":9007199254740993}]', 2 ** 53],
    ['a float as such an integer in CBOR', '/3303/0/5700', 'application/cbor', longInteger, 2 ** 53],
    ['a boolean', '/1/0/6', text, '1', true],
    ['a float in binary', '/3303/0/5700', tlv, Buffer.from('e4164441ac0000', 'hex'), 21.5],
    ['a record with its own type', '/33000/0/1', senml, '[{"n":"/33000/0/1","v":4}]', 4],
    ['instances of a resource', '/3/0/6', senml, '[{"bn":"/3/0/6/","n":"0","v":1},{"n":"1","v":5}]', { 0: 1, 1: 5 }],
    ['text of an unknown resource', '/33000/0/1', text, '4', undefined],
    ['what is not of its type', '/3303/0/5700', text, 'warm', undefined],
    ['bytes', '/5/0/0', 'application/octet-stream', Buffer.from([1]), undefined],
    ['a whole instance that could not be split', '/3303/0', tlv, Buffer.from([255]), undefined],
    ['what is not a number, in binary', '/3303/0/5700', tlv, Buffer.from('e416447fc00000', 'hex'), undefined],
    ['an infinite number', '/3303/0/5700', 'application/cbor', Buffer.from('f97c00', 'hex'), undefined],
    ['instances of which one is not a number', '/33000/0/1', lwm2mCbor, notANumber, undefined],
    ['an unknown type', '/3303/0/5700', 'image/png', 'x', undefined],
    ['a value for another path', '/3303/0/5700', senml, '[{"n":"/3/0/9","v":4}]', undefined],
  ])('%s', (_, path, contentType, bytes, expected) => {
    expect(decode(path, contentType, Buffer.from(bytes as string), models)).toEqual(expected);
  });
});

describe('the value beside its bytes, whichever format the device chose', () => {
  const formats = [contentFormat.text, contentFormat.tlv, contentFormat.senmlJson, contentFormat.senmlCbor];

  it.each<[string, ResourceValue['type'], ResourceValue['value'], unknown]>([
    ['/3303/0/5700', 'float', 21.5, 21.5],
    ['/3303/0/5700', 'float', -0.1, -0.1],
    ['/3/0/9', 'integer', 87, 87],
    ['/3/0/0', 'string', 'Zähler 7', 'Zähler 7'],
    ['/3/0/0', 'string', '42', '42'],
    ['/1/0/6', 'boolean', true, true],
    ['/1/0/6', 'boolean', false, false],
    ['/3/0/13', 'time', 1_700_000_000, 1_700_000_000],
    ['/3/0/22', 'objlnk', { object: 66, instance: 0 }, '66:0'],
  ])('%s: %s %j', (path, type, value, expected) => {
    const seen = formats.map((format) => {
      const bytes = encodeValues(format, path, [{ path, type, value }]);
      return [mediaTypeOf(format), decode(path, mediaTypeOf(format), bytes, models)];
    });
    expect(seen).toEqual(formats.map((format) => [mediaTypeOf(format), expected]));
  });

  it('from bytes that were written by hand', () => {
    const path = '/3303/0/5700';
    const cbor = Buffer.concat([Buffer.from('81a2006c', 'hex'), Buffer.from(path), Buffer.from('02f94d60', 'hex')]);
    const given: [string, Buffer][] = [
      [text, Buffer.from('21.5')],
      [tlv, Buffer.from('e4164441ac0000', 'hex')],
      [senml, Buffer.from(`[{"n":"${path}","v":21.5}]`)],
      ['application/senml+cbor', cbor],
    ];
    expect(given.map(([contentType, bytes]) => decode(path, contentType, bytes, models))).toEqual([
      21.5, 21.5, 21.5, 21.5,
    ]);
  });
});
