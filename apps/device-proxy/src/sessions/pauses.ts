import type { Clock, Timer } from '@lanyard/service';
import { pauseMs, pauseTickMs } from './limits.js';

/**
 * Whether this process stood still (stopped, swapped out, a machine asleep): another replica may have taken its devices
 * meanwhile, and the word of that has not been read. Timers tell it late, so whoever asks looks at the clock as well.
 */
export class Pauses {
  private timer: Timer | undefined;
  private tickedAtMs: number;
  private readonly listeners: (() => void)[] = [];

  constructor(private readonly clock: Clock) {
    this.tickedAtMs = clock.now();
  }

  /** Called once for each pause, before anything else is done by who asks `look`. */
  onPaused(listener: () => void): void {
    this.listeners.push(listener);
  }

  start(): void {
    this.tickedAtMs = this.clock.now();
    this.timer = this.clock.every(pauseTickMs, () => {
      this.look();
      this.tickedAtMs = this.clock.now();
    });
  }

  stop(): void {
    this.timer?.cancel();
  }

  look(): void {
    const now = this.clock.now();
    if (this.timer === undefined || now - this.tickedAtMs < pauseMs) return;
    this.tickedAtMs = now;
    for (const listener of this.listeners) listener();
  }
}
