import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../clock.js';
import { RunningWork } from './running-work.js';
import type { StopDeadline } from './stop-deadline.js';

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
