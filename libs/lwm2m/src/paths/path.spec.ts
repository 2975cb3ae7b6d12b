import { describe, expect, it } from '@jest/globals';
import { seeded } from '../../test/seeded.js';
import { Malformed } from '../errors.js';
import { covers, formatPath, isPath, parsePath, pathAndParents } from './path.js';

describe('parsePath', () => {
  it.each([
    ['/3', { object: 3 }],
    ['/3/0', { object: 3, instance: 0 }],
    ['/3/0/6', { object: 3, instance: 0, resource: 6 }],
    ['/3/0/6/1', { object: 3, instance: 0, resource: 6, resourceInstance: 1 }],
    ['/65534/65534/65534/65534', { object: 65_534, instance: 65_534, resource: 65_534, resourceInstance: 65_534 }],
  ])('reads %s', (text, path) => {
    expect(parsePath(text)).toEqual(path);
    expect(formatPath(path)).toBe(text);
  });

  it.each([
    '',
    '/',
    '3/0',
    '//3',
    '/3/',
    '/3//0',
    '/03',
    '/65535',
    '/100000',
    '/-1',
    '/3/0/6/1/2',
    '/a',
    '/3/0 ',
    '/٣',
  ])('refuses "%s"', (text) => {
    expect(() => parsePath(text)).toThrow(Malformed);
    expect(isPath(text)).toBe(false);
  });

  it('names a hostile path by its beginning only, and reads no more of it than it must', () => {
    const long = '/1'.repeat(500_000);
    expect(() => parsePath(long)).toThrow(/^path: ".{40}" is no LwM2M path$/);
  });

  it('is undone by formatPath for 2,000 random paths', () => {
    const random = seeded(690);
    for (let run = 0; run < 2_000; run++) {
      const text = Array.from({ length: 1 + random.below(4) }, () => `/${random.below(65_535)}`).join('');
      expect(formatPath(parsePath(text))).toBe(text);
    }
  });
});

describe('covers', () => {
  it.each([
    ['/3', '/3', true],
    ['/3', '/3/0/1', true],
    ['/3/0', '/3', false],
    ['/3', '/33', false],
    ['/3/0/1', '/3/0/10', false],
  ])('%s, %s: %s', (path, other, expected) => {
    expect(covers(path, other)).toBe(expected);
  });
});

describe('pathAndParents', () => {
  it.each([
    ['/3', ['/3']],
    ['/3/0/1/2', ['/3/0/1/2', '/3/0/1', '/3/0', '/3']],
  ])('%s: %j', (path, expected) => {
    expect(pathAndParents(path)).toEqual(expected);
  });
});
