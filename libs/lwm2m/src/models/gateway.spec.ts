import { describe, expect, it } from '@jest/globals';
import type { ResourceValue } from '../values/value.js';
import { devicesBehind } from './gateway.js';

const text = (path: string, value: string): ResourceValue => ({ path, value, type: 'string' });

const instance = (n: number, [deviceId, prefix, objects]: readonly (string | undefined)[]): ResourceValue[] => [
  ...(deviceId === undefined ? [] : [text(`/25/${n}/0`, deviceId)]),
  ...(prefix === undefined ? [] : [text(`/25/${n}/1`, prefix)]),
  ...(objects === undefined ? [] : [text(`/25/${n}/3`, objects)]),
];

const read = (...instances: (readonly (string | undefined)[])[]) =>
  devicesBehind(instances.flatMap((one, n) => instance(n, one)));

describe('the devices behind a gateway', () => {
  it('are those that object 25 describes', () => {
    const { devices, unusable } = read(
      ['urn:dev:1', 'd01', '</3/0>,</3303/0>;ver=1.1'],
      ['urn:dev:2', 'd02', '</3/0>'],
    );
    expect(devices).toMatchObject([
      {
        instance: 0,
        deviceId: 'urn:dev:1',
        prefix: 'd01',
        objects: { links: [{ path: '/3/0' }, { path: '/3303/0' }] },
      },
      { instance: 1, deviceId: 'urn:dev:2', prefix: 'd02', objects: { links: [{ path: '/3/0' }] } },
    ]);
    expect(unusable).toEqual([]);
  });

  it('may list their objects in several instances of the resource', () => {
    const parts = ['</3/0>', '</3303/0>'].map((value, n) => text(`/25/7/3/${n}`, value));
    const { devices } = devicesBehind([text('/25/7/0', 'a'), text('/25/7/1', 'p'), ...parts]);
    expect(devices).toMatchObject([{ instance: 7, objects: { links: [{ path: '/3/0' }, { path: '/3303/0' }] } }]);
  });

  it('may have a device id of 64 characters, each of two UTF-16 units', () => {
    const deviceId = '\u{1F600}'.repeat(64);
    expect(read([deviceId, 'd01', '</3/0>'])).toMatchObject({ devices: [{ deviceId }], unusable: [] });
    expect(read([`${deviceId}x`, 'd01', '</3/0>']).devices).toEqual([]);
  });

  it.each([
    ['no device id', [undefined, 'd01', '</3/0>'], 'resource 0, the device id, is missing'],
    ['a blank device id', [' ', 'd01', '</3/0>'], 'resource 0, the device id, is missing or blank'],
    ['a long device id', ['x'.repeat(65), 'd01', '</3/0>'], 'more than 64 characters'],
    ['a device id with a NUL', ['a\0', 'd01', '</3/0>'], 'resource 0, the device id, has control characters'],
    ['half of a surrogate pair in its device id', ['a\ud83d', 'd01', '</3/0>'], 'half of a surrogate pair'],
    ['no prefix', ['a', undefined, '</3/0>'], 'resource 1, the prefix, is missing'],
    ['an empty prefix', ['a', '', '</3/0>'], 'resource 1, the prefix, is missing or empty'],
    ['a long prefix', ['a', 'x'.repeat(65), '</3/0>'], 'more than 64 characters'],
    ['a prefix with a slash', ['a', 'd01/3', '</3/0>'], 'must be one segment of a path'],
    ['a prefix that begins with a slash', ['a', '/d01', '</3/0>'], 'must be one segment of a path'],
    ['a prefix that is an object', ['a', '3303', '</3/0>'], 'not digits alone'],
    ['a prefix that is a step up', ['a', '..', '</3/0>'], 'must be one segment of a path'],
    ['a prefix with a line break', ['a', 'd\n1', '</3/0>'], 'must be one segment of a path'],
    ['no objects, as version 1.0', ['a', 'd01', undefined], 'resource 3, the objects, is missing'],
    ['objects that are no links', ['a', 'd01', '3/0'], 'resource 3, the objects: '],
  ])('do not include an instance with %s', (_, texts, problem) => {
    const { devices, unusable } = read(texts, ['good', 'g', '</3/0>']);
    expect(devices).toMatchObject([{ deviceId: 'good' }]);
    expect(unusable).toMatchObject([{ instance: 0, problem: expect.stringContaining(problem) }]);
  });

  it.each([
    ['prefix', ['a', 'same', '</3/0>'], ['b', 'same', '</3/0>'], 'the prefix, is that of another instance too'],
    ['device id', ['same', 'a', '</3/0>'], ['same', 'b', '</3/0>'], 'the device id, is that of another instance too'],
  ])('do not include instances with one %s', (_, first, second, problem) => {
    const { devices, unusable } = read(first, second, ['c', 'c', '</3/0>']);
    expect(devices).toMatchObject([{ deviceId: 'c' }]);
    expect(unusable.map((one) => one.problem)).toEqual([
      expect.stringContaining(problem),
      expect.stringContaining(problem),
    ]);
  });

  it('are none where the values are of other types', () => {
    expect(devicesBehind([{ path: '/25/0/0', value: Buffer.from('x'), type: 'opaque' }])).toMatchObject({
      devices: [],
      unusable: [{ instance: 0 }],
    });
    expect(devicesBehind([])).toEqual({ devices: [], unusable: [] });
  });
});
