import { describe, expect, it } from '@jest/globals';
import { deviceJson, deviceSenml } from '../../test/device-object.js';
import { Malformed } from '../errors.js';
import { decodeLwm2mJson } from './lwm2m-json.js';
import { decodeSenmlJson, recordsMax } from './senml.js';

const nowMs = Date.UTC(2024, 0, 1);
const read = (text: string, basePath = '/3/0') => decodeLwm2mJson(Buffer.from(text), basePath, nowMs);

describe('decodeLwm2mJson', () => {
  it('reads the Device object as SenML reads it', () => {
    expect(read(deviceJson)).toEqual(decodeSenmlJson(Buffer.from(deviceSenml), nowMs));
  });

  it('adds times to the base time', () => {
    const records = read('{"bn":"/72/","bt":25462634,"e":[{"n":"1/2","v":22.4,"t":-5},{"n":"1/2","v":22.9}]}');
    expect(records).toEqual([
      { name: '/72/1/2', type: 'float', value: 22.4, timeMs: 25_462_629_000 },
      { name: '/72/1/2', type: 'float', value: 22.9, timeMs: 25_462_634_000 },
    ]);
  });

  it('takes times that are not after 1970 as relative to now', () => {
    expect(read('{"e":[{"n":"/1/2/3","t":-5,"v":1},{"n":"/1/2/3","t":0,"v":1}]}').map(({ timeMs }) => timeMs)).toEqual([
      nowMs - 5_000,
      nowMs,
    ]);
  });

  it('reads names without a base name as relative to what was asked for, unless they are whole', () => {
    const names = (text: string, basePath: string): string[] => read(text, basePath).map(({ name }) => name);
    expect(names('{"e":[{"n":"0","v":1},{"n":"6/1","v":1},{"n":"/3/0/9","v":1}]}', '/3/0')).toEqual([
      '/3/0/0',
      '/3/0/6/1',
      '/3/0/9',
    ]);
    expect(names('{"e":[{"n":"","v":1,"t":-5},{"v":2}]}', '/3303/0/5700')).toEqual(['/3303/0/5700', '/3303/0/5700']);
    expect(names('{"bn":"/4/0/","e":[{"n":"0","v":1}]}', '/3/0')).toEqual(['/4/0/0']);
  });

  it('reads each kind of value', () => {
    const records = read(
      '{"e":[{"n":"/9/0/0","v":-1},{"n":"/9/0/1","sv":""},{"n":"/9/0/2","bv":true},{"n":"/9/0/3","ov":"66:1"}]}',
    );
    expect(records.map(({ type, value }) => [type, value])).toEqual([
      ['integer', -1],
      ['string', ''],
      ['boolean', true],
      ['objlnk', { object: 66, instance: 1 }],
    ]);
  });

  it('reads integers of 64 bits with all their digits', () => {
    expect(read('{"e":[{"n":"/7/0/2","v":9007199254740993}]}')).toEqual([
      { name: '/7/0/2', type: 'integer', value: 2n ** 53n + 1n },
    ]);
  });

  it('reads no entries', () => {
    expect(read('{"e":[]}')).toEqual([]);
  });

  it.each([
    ['no JSON', '{'],
    ['null', 'null'],
    ['a number', '1'],
    ['an array', '[]'],
    ['no entries', '{"bn":"/3/0/"}'],
    ['entries that are no array', '{"e":{}}'],
    ['an entry that is no object', '{"e":[1]}'],
    ['an entry that is null', '{"e":[null]}'],
    ['no value', '{"e":[{"n":"a"}]}'],
    ['two values', '{"e":[{"n":"a","v":1,"sv":"x"}]}'],
    ['v as text', '{"e":[{"n":"a","v":"1"}]}'],
    ['v beyond a double', '{"e":[{"n":"a","v":1e999}]}'],
    ['bv as a number', '{"e":[{"n":"a","bv":1}]}'],
    ['ov that is no link', '{"e":[{"n":"a","ov":"66"}]}'],
    ['n as a number', '{"e":[{"n":1,"v":1}]}'],
    ['t as text', '{"e":[{"n":"a","t":"1","v":1}]}'],
    ['bn as a number', '{"bn":1,"e":[]}'],
    ['bt as text', '{"bt":"1","e":[]}'],
    ['a time beyond dates', '{"bt":1e300,"e":[{"n":"a","v":1}]}'],
  ])('refuses %s', (_name, text) => {
    expect(() => read(text)).toThrow(Malformed);
  });

  it('refuses more entries than its limit', () => {
    const entries = Array.from({ length: recordsMax + 1 }, () => ({ n: 'a', v: 1 }));
    expect(() => read(JSON.stringify({ e: entries }))).toThrow(Malformed);
    expect(read(JSON.stringify({ e: entries.slice(1) }))).toHaveLength(recordsMax);
  });
});
