import type { Clock, StopDeadline, Timer } from '@lanyard/service';
import type { BeforeApplicationShutdown } from '@nestjs/common';

/** Work that nothing waits for but the stop of the process. Once that has begun, nothing else begins. */
class RunningWork {
  private readonly timers = new Set<Timer>();
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly clock: Clock) {}

  run(work: () => Promise<void>, failed: (error: unknown) => void): void {
    if (this.isStopped) return;
    const run: Promise<void> = work()
      .catch(failed)
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  later(delayMs: number, work: () => void): void {
    if (this.isStopped) return;
    const timer = this.clock.after(delayMs, () => {
      this.timers.delete(timer);
      work();
    });
    this.timers.add(timer);
  }

  /** Resolves when everything that runs has ended. */
  async stop(): Promise<void> {
    this.isStopped = true;
    for (const timer of this.timers) timer.cancel();
    await Promise.all(this.running);
  }
}

/** A provider whose work a stop of the process waits for. `what`: names the work in the log. */
export abstract class WorkingProvider implements BeforeApplicationShutdown {
  protected readonly work: RunningWork;

  constructor(
    clock: Clock,
    private readonly deadline: StopDeadline,
    private readonly what: string,
  ) {
    this.work = new RunningWork(clock);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step(this.what, () => this.work.stop());
  }
}
