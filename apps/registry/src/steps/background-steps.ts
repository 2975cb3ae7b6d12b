import type { Clock, Logger, StopDeadline, Timer } from '@lanyard/service';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

export interface BackgroundStepsOptions {
  /** How often to look for work that no call of `wake` announced. */
  periodMs: number;
  /** What did not happen when a step failed, for the log. It is tried again with the next period. */
  failure: string;
  clock: Clock;
  logger: Logger;
  deadline: StopDeadline;
}

/** So that rests stay short on a machine on which every step is slow. */
const restMaxMs = 50;

/**
 * Work of any length in small steps, one at a time, while the service runs. After each step it rests half as long as the
 * step took, so that requests come between.
 */
export abstract class BackgroundSteps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: BackgroundStepsOptions) {}

  /** Does a bounded piece of work, and answers whether there was any. */
  protected abstract step(): Promise<boolean>;

  onApplicationBootstrap(): void {
    this.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.options.deadline.step(this.constructor.name, () => this.stop());
  }

  start(): void {
    const { clock, periodMs } = this.options;
    this.timer = clock.every(periodMs, () => this.wake());
  }

  /** There may be work. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.working ??= this.work()
      .catch((err: unknown) => this.options.logger.warn({ err }, `${this.options.failure}, tried again`))
      .finally(() => (this.working = undefined));
  }

  /** Resolves after the step that is under way. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timer?.cancel();
    await this.working;
  }

  private async work(): Promise<void> {
    const { clock } = this.options;
    const { signal } = this.stopping;
    for (;;) {
      const startedMs = clock.now();
      if (signal.aborted || !(await this.step())) return;
      await clock.sleep(Math.min(restMaxMs, (clock.now() - startedMs) / 2), signal);
    }
  }
}
