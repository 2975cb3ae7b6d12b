import { describe, expect, it } from '@jest/globals';
import { localAddress } from './local-address.js';
import { seededRandom } from './random.js';
import { type Watch, Watches } from './watches.js';

const watch = (path: string): Watch => ({
  device: { report: () => Promise.resolve() },
  path,
  token: Buffer.alloc(8),
  number: 0,
  busy: false,
  place: -1,
});

describe('watches', () => {
  it('take turns, also when some go', () => {
    const watches = new Watches();
    const [a, b, c] = [watch('a'), watch('b'), watch('c')];
    for (const one of [a, b, c]) watches.add(one);
    watches.remove(a);
    watches.remove(a);
    expect([watches.next()?.path, watches.next()?.path, watches.next()?.path, watches.size]).toEqual([
      'c',
      'b',
      'c',
      2,
    ]);
  });

  it('pass over those that wait for an acknowledgement', () => {
    const watches = new Watches();
    const [a, b] = [watch('a'), watch('b')];
    for (const one of [a, b]) watches.add(one);
    a.busy = true;
    expect([watches.next(), watches.next()]).toEqual([b, b]);
    b.busy = true;
    expect(watches.next()).toBeUndefined();
  });
});

describe('addresses', () => {
  it.each([
    ['127.0.0.1', 0, '127.16.0.0'],
    ['127.0.0.1', 99_999, '127.16.3.231'],
    ['192.0.2.1', 5, '0.0.0.0'],
    ['::1', 5, '::'],
  ])('to %s device %i talks from %s', (server, device, address) => {
    expect(localAddress(server, device, 'linux')).toBe(address);
  });

  it('where the loopback network has one address, any', () => {
    expect(localAddress('127.0.0.1', 7, 'darwin')).toBe('0.0.0.0');
  });
});

describe('chance', () => {
  it('is the same for the same seed', () => {
    const [a, b, c] = [seededRandom(7), seededRandom(7), seededRandom(8)];
    const first = [a(), a(), a()];
    expect([b(), b(), b()]).toEqual(first);
    expect([c(), c(), c()]).not.toEqual(first);
    expect(first.every((number) => number >= 0 && number < 1)).toBe(true);
  });
});
