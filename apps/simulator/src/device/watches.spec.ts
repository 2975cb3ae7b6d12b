import { describe, expect, it } from '@jest/globals';
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
