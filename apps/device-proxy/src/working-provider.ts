import { CLOCK, type Clock, LOGGER, type Logger, StopDeadline, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable } from '@nestjs/common';

/** Work that nothing waits for but the stop of the process. Once that has begun, nothing else begins. */
class RunningWork {
  private readonly timers = new Set<Timer>();
  private readonly running = new Set<Promise<void>>();
  private isStopped = false;

  constructor(private readonly clock: () => Clock) {}

  run(work: () => Promise<void>, failed: (error: unknown) => void): void {
    if (this.isStopped) return;
    const run: Promise<void> = work()
      .catch(failed)
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  later(delayMs: number, work: () => void): void {
    if (this.isStopped) return;
    const timer = this.clock().after(delayMs, () => {
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

/** A provider whose work a stop of the process waits for. */
@Injectable()
export abstract class WorkingProvider implements BeforeApplicationShutdown {
  @Inject(CLOCK) protected readonly clock!: Clock;
  @Inject(LOGGER) protected readonly logger!: Logger;
  @Inject(StopDeadline) private readonly deadline!: StopDeadline;
  protected readonly work = new RunningWork(() => this.clock);

  /** `what`: names the work in the log. */
  constructor(private readonly what: string) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step(this.what, () => this.work.stop());
  }
}
