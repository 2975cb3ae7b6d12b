import { type Clock, CLOCK, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { stallMs, stallTickMs } from './limits.js';

/**
 * Detects that this process stalled (stopped, swapped out, machine asleep): another replica may have taken over its
 * devices, and the wake-up may still be unread. Timers fire late, so callers also check the clock with `detect`.
 */
@Injectable()
export class StallDetector implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: Timer | undefined;
  private tickedAtMs: number;
  private readonly listeners: (() => void)[] = [];

  constructor(@Inject(CLOCK) private readonly clock: Clock) {
    this.tickedAtMs = clock.now();
  }

  /** Called once per stall, before `detect` returns to its caller. */
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

  /** Calls the listeners if the process has stalled since the last tick. */
  detect(): void {
    const now = this.clock.now();
    if (this.timer === undefined || now - this.tickedAtMs < stallMs) return;
    this.tickedAtMs = now;
    for (const listener of this.listeners) listener();
  }
}
