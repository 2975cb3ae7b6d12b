import type { Clock, Logger, StopDeadline, Timer } from '@lanyard/service';
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from '@nestjs/common';

export interface BackgroundStepsOptions {
  /** How often to look for work without a call of `wake`. */
  periodMs: number;
  /** What failed, for the log. It is retried in the next period. */
  failure: string;
  clock: Clock;
  logger: Logger;
  deadline: StopDeadline;
}

/** Bounds the pauses on a machine on which every step is slow. */
const restMaxMs = 50;

/**
 * Does long work in small steps, one at a time, while the service runs. After each step it pauses for half as long as
 * the step took, so that requests are served in between.
 */
export abstract class BackgroundSteps implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  constructor(private readonly options: BackgroundStepsOptions) {}

  /** Does a bounded piece of work, and returns whether there was any. */
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

  /** Resolves after the current step. */
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
