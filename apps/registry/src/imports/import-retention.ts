import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { BackgroundSteps } from '../steps/background-steps.js';

/** How long a completed import and its report are kept. */
export const completedImportDays = 30;

const periodMs = 600_000;
const dayMs = 86_400_000;

// One import at a time, because its report may have many lines.
const removeSql = `
  DELETE FROM registry.device_imports WHERE id =
    (SELECT id FROM registry.device_imports WHERE status = 'completed' AND completed_at < $1
     ORDER BY completed_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** Deletes imports that were completed long ago, with their reports. The created devices stay. */
@Injectable()
export class ImportRetention extends BackgroundSteps {
  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) logger: Logger,
    deadline: StopDeadline,
  ) {
    super({ periodMs, failure: 'completed imports not deleted', clock, logger, deadline });
  }

  /** Deletes the oldest one. */
  protected async step(): Promise<boolean> {
    const keptFrom = new Date(this.clock.now() - completedImportDays * dayMs);
    const [, count] = (await this.database.query(removeSql, [keptFrom.toISOString()])) as [unknown[], number];
    return count > 0;
  }
}
