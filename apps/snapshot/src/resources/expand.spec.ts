import { describe, expect, it } from '@jest/globals';
import { contentFormat, encodeValues } from '@lanyard/lwm2m';
import { expand } from './expand.js';

const senml = 'application/senml+json';
const pack = (records: object[]): Buffer => Buffer.from(JSON.stringify(records));

describe('resources in a payload', () => {
  it('one resource stays as the device sent it', () => {
    const value = Buffer.from('21.50');
    expect(expand('/3303/0/5700', 'text/plain', value)).toEqual([
      { path: '/3303/0/5700', value, contentType: 'text/plain' },
    ]);
  });

  it('an instance is split', () => {
    const payload = pack([
      { bn: '/3303/0/', n: '5700', v: 21.5 },
      { n: '5701', vs: 'Cel' },
    ]);
    expect(expand('/3303/0', senml, payload)).toEqual([
      { path: '/3303/0/5700', value: Buffer.from('21.5'), contentType: 'text/plain' },
      { path: '/3303/0/5701', value: Buffer.from('Cel'), contentType: 'text/plain' },
    ]);
  });

  it.each<[string, string, Buffer]>([
    ['SenML', senml, pack([{ n: '/3341/0/5527', vs: 'x' }])],
    [
      'SenML-ETCH, without what it removes',
      'application/senml-etch+json',
      pack([
        { n: '/3341/0/5527', vs: 'x' },
        { n: '/3/0/6/1', v: null },
      ]),
    ],
    [
      'LwM2M CBOR',
      'application/vnd.oma.lwm2m+cbor',
      encodeValues(contentFormat.lwm2mCbor, '/3341', [{ path: '/3341/0/5527', type: 'string', value: 'x' }]),
    ],
  ])('those of an IPATCH are split: %s', (_, contentType, payload) => {
    expect(expand('/', contentType, payload)).toEqual([
      { path: '/3341/0/5527', value: Buffer.from('x'), contentType: 'text/plain' },
    ]);
  });

  it.each<[string, string, Buffer]>([
    ['removes only', 'application/senml-etch+json', pack([{ n: '/3/0/6/1', v: null }])],
    ['cannot be read', senml, Buffer.from('[{')],
    ['is of an unknown type', 'image/png', Buffer.from([1, 2])],
  ])('an IPATCH that %s has none', (_, contentType, payload) => {
    expect(expand('/', contentType, payload)).toEqual([]);
  });

  it.each<[string, string, string, Buffer]>([
    ['cannot be read', '/3303/0', senml, Buffer.from('[{')],
    ['is of an unknown type', '/3303/0', 'image/png', Buffer.from([1, 2])],
    ['is empty', '/3303/0', senml, pack([])],
    ['names paths that were not asked for', '/3303/0', senml, pack([{ n: '/3/0/0', vs: 'forged' }])],
  ])('what %s is kept whole', (_, path, contentType, value) => {
    expect(expand(path, contentType, value)).toEqual([{ path, value, contentType }]);
  });
});
