import { describe, expect, it } from '@jest/globals';
import { RegisteredPaths } from './registered-links.js';

const links = ['/1/0', '/3/0', '/5', '/3303/0', '/3303/1', '/3200/0/5500', '/3200/0/5501'].map((path) => ({ path }));

describe('a registered path', () => {
  it.each([
    ['/3303', true],
    ['/3303/0/9999', true],
    ['/3303/2', false],
    ['/3303/2/5700', false],
    ['/3200/0/5999', true],
    ['/5/0/3', true],
    ['/9/0/1', false],
    ['/9', false],
  ])('%s: %s', (path, answer) => {
    expect(new RegisteredPaths(links).isRegistered(path)).toBe(answer);
    expect(new RegisteredPaths([]).isRegistered(path)).toBe(true);
  });
});

describe('a path that may exist', () => {
  it.each([
    ['/', false],
    ['/3303', true],
    ['/3303/0', true],
    ['/3303/0/5700', true],
    ['/3303/0/5700/1', true],
    ['/330', false],
    ['/3303/2', false],
    ['/3200/0', true],
    ['/3200/0/5501', true],
    ['/3200/0/5501/1', true],
    ['/3200/0/5999', false],
    ['/5/0', true],
    ['/9/0', false],
  ])('%s: %s', (path, answer) => {
    expect(new RegisteredPaths(links).mayExist(path)).toBe(answer);
  });

  it('a device may list the same instance any number of times', () => {
    const repeated = Array.from({ length: 5_000 }, () => ({ path: '/3303/0' }));
    expect([true, false]).toEqual([
      new RegisteredPaths(repeated).mayExist('/3303/0/5700'),
      new RegisteredPaths([...repeated, { path: '/3303/0/5601' }]).mayExist('/3303/0/5700'),
    ]);
  });
});
