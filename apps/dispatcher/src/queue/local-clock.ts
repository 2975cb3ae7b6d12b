import { CLOCK, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';

/**
 * The monotonic time of this process, for what begins and ends in it: pings, polls, slow requests. No wall clock has a
 * part in it, neither this machine's nor Redis', which may be set or, after a fail-over, be another one.
 */
@Injectable()
export class LocalClock implements Clock {
  readonly after: Clock['after'];
  readonly every: Clock['every'];
  readonly sleep: Clock['sleep'];

  constructor(
    /** How far it is ahead of the wall clock is added, as in SharedClock: that is how tests jump over hours. */
    @Inject(CLOCK) private readonly own: Clock,
  ) {
    this.after = own.after.bind(own);
    this.every = own.every.bind(own);
    this.sleep = own.sleep.bind(own);
  }

  now(): number {
    return performance.now() + (this.own.now() - Date.now());
  }
}
