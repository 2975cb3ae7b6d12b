import { describe, expect, it } from '@jest/globals';
import { standardModels } from '../models/standard-models.js';
import { encodeCborItem } from './cbor.js';
import { encodePaths, namesIn } from './composite.js';
import { contentFormat } from './content-format.js';
import { decodeSend } from './decode.js';
import { encodeValues } from './encode.js';
import { addPrefix, splitByPrefix } from './prefix.js';
import { addRoot, removeRoot } from './root.js';

const { senmlJson, senmlCbor, senmlEtchJson, senmlEtchCbor, lwm2mCbor, text } = contentFormat;
const models = standardModels();
const root = '/lwm2m';

const values = [
  { path: '/3303/0/5700', value: 21.5, type: 'float' },
  { path: '/3/0/0', value: 'Lanyard', type: 'string' },
] as const;

const json = (pack: unknown): Buffer => Buffer.from(JSON.stringify(pack));

describe('the alternate root', () => {
  it.each([
    ['SenML JSON', senmlJson],
    ['SenML CBOR', senmlCbor],
    ['SenML-ETCH JSON', senmlEtchJson],
    ['SenML-ETCH CBOR', senmlEtchCbor],
  ])('stands before the names of a request in %s', (_, format) => {
    const names = encodePaths(format, ['/3/0/0', '/3303']);
    expect(namesIn(format, addRoot(format, names, root))).toEqual(['/lwm2m/3/0/0', '/lwm2m/3303']);
    expect(namesIn(format, addRoot(format, names, '/a/b'))).toEqual(['/a/b/3/0/0', '/a/b/3303']);
  });

  it.each([
    ['SenML JSON', senmlJson, root],
    ['SenML CBOR', senmlCbor, root],
    ['LwM2M CBOR', lwm2mCbor, root],
    ['SenML JSON', senmlJson, '/a/b'],
    ['LwM2M CBOR', lwm2mCbor, '/a/b'],
  ])('is taken off the names of a device in %s: %s %s', (_, format, its) => {
    const plain = encodeValues(format, '/', [...values]);
    const segments = its.slice(1).split('/').reverse();
    const named = segments.reduce((bytes, segment) => addPrefix(format, bytes, segment), plain);
    expect(named).not.toEqual(plain);
    expect(decodeSend(format, removeRoot(format, named, its), models)).toMatchObject(values);
    expect(removeRoot(format, plain, its)).toBe(plain);
  });

  it('is taken off a base name, and the base values stay', () => {
    const pack = json([
      { bn: '/lwm2m/3303/0/', bt: 1_600_000_000, n: '5700', v: 1.5 },
      { n: '5701', vs: 'Cel' },
    ]);
    expect(decodeSend(senmlJson, removeRoot(senmlJson, pack, root), models)).toMatchObject([
      { path: '/3303/0/5700', value: 1.5, timeMs: 1_600_000_000_000 },
      { path: '/3303/0/5701', value: 'Cel', timeMs: 1_600_000_000_000 },
    ]);
    const single = json([{ bn: '/lwm2m/3303/0/5700', v: 1 }]);
    expect(decodeSend(senmlJson, removeRoot(senmlJson, single, root), models)).toMatchObject([
      { path: '/3303/0/5700', value: 1 },
    ]);
  });

  it.each<[string, object, string]>([
    ['a base time', { bt: 1_600_000_000 }, '/lwm2m/3303/0/5700'],
    ['the start of all names', { bn: '/', bt: 1_600_000_000 }, 'lwm2m/3303/0/5700'],
    ['the root as a base name', { bn: '/lwm2m/', bt: 1_600_000_000 }, '3303/0/5700'],
  ])('is taken off where the first record only has %s', (_, first, n) => {
    const pack = json([first, { n, v: 1.5 }]);
    expect(decodeSend(senmlJson, removeRoot(senmlJson, pack, root), models)).toMatchObject([
      { path: '/3303/0/5700', value: 1.5, timeMs: 1_600_000_000_000 },
    ]);
  });

  it('stands before the prefix of a device behind a gateway', () => {
    const pack = json([
      { n: '/lwm2m/d01/3303/0/5700', v: 1 },
      { n: '/lwm2m/3303/0/5700', v: 2 },
    ]);
    expect([...splitByPrefix(senmlJson, removeRoot(senmlJson, pack, root)).keys()]).toEqual(['d01', '']);
  });

  it('may have the name of a prefix', () => {
    const asked = addRoot(senmlEtchJson, addPrefix(senmlEtchJson, json([{ n: '/3/0' }]), 'lwm2m'), root);
    expect(namesIn(senmlEtchJson, asked)).toEqual(['/lwm2m/lwm2m/3/0']);
  });

  it.each<[string, number, Buffer]>([
    ['names of another root', senmlJson, json([{ n: '/lwm2m2/3303/0/5700', v: 1 }])],
    ['names with the root and without it', senmlJson, json([{ n: '/lwm2m/3/0/0' }, { n: '/3/0/1' }])],
    ['names that only look as if they were below the root', senmlJson, json([{ n: '/lwm2m2' }])],
    ['a long base name of many records', senmlJson, json([{ bn: `${root}/${'x'.repeat(500)}` }, { n: '/3/0/0' }])],
    ['a long base unit of many records', senmlJson, json([{ bn: root, bu: 'x'.repeat(500) }, { n: '/3/0/0' }])],
    ['too many records', senmlJson, json(Array.from({ length: 10_001 }, () => ({ n: '/lwm2m/3/0/0', v: 1 })))],
    ['no list', senmlJson, Buffer.from('[{')],
    ['no map', lwm2mCbor, encodeCborItem([1])],
    ['nothing', senmlCbor, Buffer.alloc(0)],
    ['a format that names no paths', text, Buffer.from('/lwm2m/3')],
  ])('leaves %s as they are', (_, format, bytes) => {
    expect(removeRoot(format, bytes, root)).toBe(bytes);
  });

  it('is not added where there is none, where nothing is named, and in LwM2M CBOR', () => {
    const pack = json([{ n: '/3/0' }]);
    const map = encodeValues(lwm2mCbor, '/', [...values]);
    expect(addRoot(senmlJson, pack, '')).toBe(pack);
    expect(removeRoot(senmlJson, pack, '')).toBe(pack);
    expect(addRoot(text, pack, root)).toBe(pack);
    expect(addRoot(lwm2mCbor, map, root)).toBe(map);
    const broken = Buffer.from('[{');
    expect(addRoot(senmlJson, broken, root)).toBe(broken);
  });
});
