import { describe, expect, it } from '@jest/globals';
import { standardModels } from '@lanyard/lwm2m';
import { decode } from './decode.js';

const models = standardModels();
const text = 'text/plain';
const tlv = 'application/vnd.oma.lwm2m+tlv';
const senml = 'application/senml+json';

describe('the value beside its bytes', () => {
  it.each<[string, string, string, string | Buffer, unknown]>([
    ['a float', '/3303/0/5700', text, '21.50', 21.5],
    ['a text', '/3/0/0', text, 'Lanyard', 'Lanyard'],
    ['an integer', '/3/0/9', text, '87', 87],
    ['an integer that no number holds', '/3/0/13', text, '9223372036854775807', '9223372036854775807'],
    ['a boolean', '/1/0/6', text, '1', true],
    ['a float in binary', '/3303/0/5700', tlv, Buffer.from('e4164441ac0000', 'hex'), 21.5],
    ['a record with its own type', '/33000/0/1', senml, '[{"n":"/33000/0/1","v":4}]', 4],
    ['instances of a resource', '/3/0/6', senml, '[{"bn":"/3/0/6/","n":"0","v":1},{"n":"1","v":5}]', { 0: 1, 1: 5 }],
    ['text of an unknown resource', '/33000/0/1', text, '4', undefined],
    ['what is not of its type', '/3303/0/5700', text, 'warm', undefined],
    ['bytes', '/5/0/0', 'application/octet-stream', Buffer.from([1]), undefined],
    ['a whole instance that could not be split', '/3303/0', tlv, Buffer.from([255]), undefined],
    ['an unknown type', '/3303/0/5700', 'image/png', 'x', undefined],
    ['a value for another path', '/3303/0/5700', senml, '[{"n":"/3/0/9","v":4}]', undefined],
  ])('%s', (_, path, contentType, bytes, expected) => {
    expect(decode(path, contentType, Buffer.from(bytes as string), models)).toEqual(expected);
  });
});
