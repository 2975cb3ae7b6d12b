import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Clock, Timer } from '../clock.js';
import type { Logger } from '../telemetry/logger.js';
import { CLOCK, LOGGER } from '../tokens.js';
import { StopDeadline } from './stop-deadline.js';

/** Bounds the pauses on a machine on which every step is slow. */
const restMaxMs = 50;

/**
 * Repeats work while the service runs, one step at a time. A step that leaves work is followed by the next one after a pause
 * of half its duration, so that requests are served in between. Failures are logged, and retried in the next period.
 */
@Injectable()
export abstract class BackgroundWork implements OnApplicationBootstrap, BeforeApplicationShutdown {
  @Inject(CLOCK) protected readonly clock!: Clock;
  @Inject(LOGGER) protected readonly logger!: Logger;
  @Inject(StopDeadline) protected readonly deadline!: StopDeadline;
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  private readonly stopping = new AbortController();

  /** `failure`: message of the log. */
  constructor(
    private readonly periodMs: number,
    private readonly failure: string,
  ) {}

  /** Does a bounded piece of work. True: there may be more. */
  protected abstract step(): Promise<boolean | void>;

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(this.periodMs, () => this.wake());
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step(this.constructor.name, () => this.stop());
  }

  /** Starts work now, unless it is running: for callers that know that there may be some. */
  wake(): void {
    if (this.stopping.signal.aborted) return;
    this.working ??= this.work()
      .catch((err: unknown) => this.logger.warn({ err }, this.failure))
      .finally(() => (this.working = undefined));
  }

  /** Resolves after the current step. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.timer?.cancel();
    await this.working;
  }

  private async work(): Promise<void> {
    const { clock, stopping } = this;
    for (;;) {
      const startedMs = clock.now();
      if (stopping.signal.aborted || !(await this.step())) return;
      await clock.sleep(Math.min(restMaxMs, (clock.now() - startedMs) / 2), stopping.signal);
    }
  }
}
