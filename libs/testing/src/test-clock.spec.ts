import { describe, expect, it } from '@jest/globals';
import { TestClock } from './test-clock.js';

describe('test clock', () => {
  it('runs what falls due, in order, and moves a day in no time', async () => {
    const clock = new TestClock();
    const start = clock.now();
    const seen: [string, number][] = [];
    const note = (name: string) => (): void => void seen.push([name, clock.now() - start]);
    clock.after(2_000, note('second'));
    clock.after(1_000, note('first'));
    const ticking = clock.every(86_400_000 / 2, note('tick'));
    clock.after(500, note('cancelled')).cancel();
    await clock.advance(86_400_000);
    ticking.cancel();
    await clock.advance(86_400_000);
    expect(seen).toEqual([
      ['first', 1_000],
      ['second', 2_000],
      ['tick', 43_200_000],
      ['tick', 86_400_000],
    ]);
  });

  it('sleep ends early when the signal aborts', async () => {
    const clock = new TestClock();
    const abort = new AbortController();
    const asleep = clock.sleep(1_000_000, abort.signal);
    abort.abort();
    await expect(asleep).resolves.toBeUndefined();
  });
});
