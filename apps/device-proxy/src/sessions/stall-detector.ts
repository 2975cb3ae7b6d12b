import { type Clock, CLOCK, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { stallMs, stallTickMs } from './limits.js';

/**
 * Whether this process stood still (stopped, swapped out, a machine asleep): another replica may have taken its devices
 * meanwhile, and the word of that has not been read. Timers tell it late, so whoever asks looks at the clock as well.
 */
@Injectable()
export class StallDetector implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: Timer | undefined;
  private tickedAtMs: number;
  private readonly listeners: (() => void)[] = [];

  constructor(@Inject(CLOCK) private readonly clock: Clock) {
    this.tickedAtMs = clock.now();
  }

  /** Called once for each pause, before anything else is done by who asks `look`. */
  onStall(listener: () => void): void {
    this.listeners.push(listener);
  }

  onApplicationBootstrap(): void {
    this.tickedAtMs = this.clock.now();
    this.timer = this.clock.every(stallTickMs, () => {
      this.detect();
      this.tickedAtMs = this.clock.now();
    });
  }

  beforeApplicationShutdown(): void {
    this.timer?.cancel();
  }

  detect(): void {
    const now = this.clock.now();
    if (this.timer === undefined || now - this.tickedAtMs < stallMs) return;
    this.tickedAtMs = now;
    for (const listener of this.listeners) listener();
  }
}
