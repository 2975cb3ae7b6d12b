import { describe, expect, it } from '@jest/globals';
import { ManualClock } from '../../test/manual-clock.js';
import { TimerWheel } from './timer-wheel.js';

const wheelWith = (delays: number[]) => {
  const clock = new ManualClock();
  const wheel = new TimerWheel(clock);
  const ran: number[] = [];
  const timers = delays.map((delay) => wheel.schedule(delay, () => ran.push(delay)));
  return { clock, wheel, ran, timers };
};

describe('TimerWheel', () => {
  it('runs each timer once, when it is due', () => {
    const { clock, wheel, ran } = wheelWith([2_000, 100, 250_000, 1]);
    clock.advance(100);
    expect(ran).toEqual([100, 1]);
    clock.advance(1_800);
    expect(ran).toHaveLength(2);
    clock.advance(100);
    expect(ran).toEqual([100, 1, 2_000]);
    clock.advance(247_900);
    expect(ran).toHaveLength(3);
    clock.advance(100);
    expect(ran).toHaveLength(4);
    expect(wheel.size).toBe(0);
  });

  it('ticks only while something waits', () => {
    const { clock, wheel, timers } = wheelWith([500]);
    timers[0]!.cancel();
    timers[0]!.cancel();
    clock.advance(100);
    expect([clock.ticking, wheel.size]).toEqual([false, 0]);
    clock.leap(1_000_000);
    let late = 0;
    wheel.schedule(300, () => (late += 1));
    clock.advance(200);
    expect(late).toBe(0);
    clock.advance(100);
    expect(late).toBe(1);
  });

  it('lets timers set and cancel timers of the same tick', () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    const ran: string[] = [];
    wheel.schedule(100, () => {
      second.cancel();
      wheel.schedule(0, () => ran.push('set by the first'));
    });
    const second = wheel.schedule(100, () => ran.push('cancelled'));
    clock.advance(200);
    expect(ran).toEqual(['set by the first']);
  });

  it('catches up after a stall longer than a turn', () => {
    const { clock, ran } = wheelWith([100, 5_000, 110_000, 900_000]);
    clock.leap(600_000);
    expect(ran.toSorted((a, b) => a - b)).toEqual([100, 5_000, 110_000]);
  });

  it('forgets everything when cleared', () => {
    const { clock, wheel, ran } = wheelWith([100, 200]);
    wheel.clear();
    clock.advance(1_000);
    expect([ran, wheel.size]).toEqual([[], 0]);
  });

  it('is not disturbed by a cleared timer that is cancelled later', () => {
    const { clock, wheel, ran, timers } = wheelWith([100]);
    wheel.clear();
    wheel.schedule(100, () => ran.push(-1));
    timers[0]!.cancel();
    expect(wheel.size).toBe(1);
    clock.advance(200);
    expect([ran, wheel.size, clock.ticking]).toEqual([[-1], 0, false]);
  });

  it('runs nothing more when it is cleared by a timer', () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    let ran = 0;
    wheel.schedule(100, () => wheel.clear());
    wheel.schedule(100, () => (ran += 1));
    clock.advance(200);
    expect([ran, wheel.size]).toEqual([0, 0]);
  });

  it('agrees with a list for 5,000 random timers', () => {
    const clock = new ManualClock();
    const wheel = new TimerWheel(clock);
    const due: number[] = [];
    const list: number[] = [];
    for (let index = 0; index < 5_000; index += 1) {
      const delay = (index * 7_919) % 300_000;
      const timer = wheel.schedule(delay, () => due.push(delay));
      if (index % 3 === 0) timer.cancel();
      else list.push(delay);
    }
    for (const passed of [150_000, 300_000]) {
      clock.advance(150_000);
      expect(new Set(due)).toEqual(new Set(list.filter((delay) => delay <= passed)));
    }
    expect(due).toHaveLength(3_333);
  });
});
