import { type Clock, systemClock, type Timer } from '@lanyard/service';

/** The time of one replica: it ends when the replica is killed, and jumps when it was suspended. */
export class ReplicaTime implements Clock {
  private readonly timers = new Set<Timer>();
  private suspendedMs = 0;

  now(): number {
    return systemClock.now() + this.suspendedMs;
  }

  after(delayMs: number, work: () => void): Timer {
    return this.track(systemClock.after(delayMs, work));
  }

  every(periodMs: number, work: () => void): Timer {
    return this.track(systemClock.every(periodMs, work));
  }

  sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(delayMs, signal);
  }

  suspend(ms: number): void {
    this.suspendedMs += ms;
  }

  end(): void {
    for (const timer of this.timers) timer.cancel();
  }

  private track(timer: Timer): Timer {
    this.timers.add(timer);
    return timer;
  }
}
