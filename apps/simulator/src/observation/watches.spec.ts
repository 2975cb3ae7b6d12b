import { describe, expect, it } from '@jest/globals';
import { type Watch } from './watch.js';
import { Watches } from './watches.js';

const watch = (path: string, measured = true): Watch => ({
  device: { report: () => Promise.resolve() },
  paths: [path],
  token: Buffer.alloc(8),
  accept: undefined,
  isComposite: false,
  measured,
  number: 0,
  busy: false,
  outdated: false,
  turnIndex: -1,
});

describe('watches', () => {
  it('take turns, also when some go', () => {
    const watches = new Watches();
    const [a, b, c] = [watch('a'), watch('b'), watch('c')];
    for (const one of [a, b, c]) watches.add(one);
    watches.remove(a);
    watches.remove(a);
    expect([watches.next(), watches.next(), watches.next(), watches.size]).toEqual([c, b, c, 2]);
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

  it('have no turn where nothing is measured', () => {
    const watches = new Watches();
    const state = watch('state', false);
    watches.add(state);
    expect([watches.next(), watches.isMeasured, watches.size]).toEqual([undefined, false, 1]);
    watches.remove(state);
    expect(watches.size).toBe(0);
  });
});
