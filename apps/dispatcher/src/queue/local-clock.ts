import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';

/** A clock with a time of its own, which uses the timers of the given one. */
export abstract class DerivedClock implements Clock {
  readonly after: Clock['after'];
  readonly every: Clock['every'];
  readonly sleep: Clock['sleep'];

  constructor(protected readonly own: Clock) {
    this.after = own.after.bind(own);
    this.every = own.every.bind(own);
    this.sleep = own.sleep.bind(own);
  }

  abstract now(): number;

  /** How far the given clock is ahead of the wall clock: in tests, this skips hours. */
  protected get aheadMs(): number {
    return this.own.now() - Date.now();
  }
}

/**
 * The monotonic time of this process, for what begins and ends in it: pings, polls, slow requests. It does not depend on any
 * wall clock, neither this machine's nor Redis', which may be set or, after a fail-over, be another one.
 */
@Injectable()
export class LocalClock extends DerivedClock {
  constructor(@Inject(CLOCK) own: Clock) {
    super(own);
  }

  now(): number {
    return performance.now() + this.aheadMs;
  }
}
