import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';

/** A clock with a time of its own, which uses the timers of the given one. */
export abstract class DerivedClock implements Clock {
  readonly after: Clock['after'];
  readonly every: Clock['every'];
  readonly sleep: Clock['sleep'];

  constructor(protected readonly base: Clock) {
    this.after = base.after.bind(base);
    this.every = base.every.bind(base);
    this.sleep = base.sleep.bind(base);
  }

  abstract now(): number;

  /** How far the given clock is ahead of the wall clock: 0, except in tests, whose clock skips hours. */
  protected get aheadOfWallClockMs(): number {
    return this.base.now() - Date.now();
  }
}

/**
 * The monotonic time of this process, for what begins and ends in it: pings, polls, slow requests. It does not depend on any
 * wall clock, neither this machine's nor Redis', which may be set or, after a fail-over, be another one.
 */
@Injectable()
export class LocalClock extends DerivedClock {
  constructor(@Inject(CLOCK) base: Clock) {
    super(base);
  }

  now(): number {
    return performance.now() + this.aheadOfWallClockMs;
  }
}
