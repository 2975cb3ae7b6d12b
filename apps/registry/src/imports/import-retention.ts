import type { Clock, Logger } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { BackgroundSteps } from '../steps/background-steps.js';

/** How long a completed import can be seen, and its report be read. */
export const completedImportDays = 30;

const periodMs = 600_000;
const dayMs = 86_400_000;

// One at a time: its report may have many lines.
const removeSql = `
  DELETE FROM registry.device_imports WHERE id =
    (SELECT id FROM registry.device_imports WHERE status = 'completed' AND completed_at < $1
     ORDER BY completed_at LIMIT 1 FOR UPDATE SKIP LOCKED)`;

/** Deletes imports that were completed long ago, with their reports. What they made stays. */
export class ImportRetention {
  readonly steps: BackgroundSteps;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.steps = new BackgroundSteps({
      step: () => this.removeOne(),
      periodMs,
      clock,
      logger,
      failure: 'completed imports not deleted',
    });
  }

  private async removeOne(): Promise<boolean> {
    const keptFrom = new Date(this.clock.now() - completedImportDays * dayMs);
    const [, count] = (await this.database.query(removeSql, [keptFrom.toISOString()])) as [unknown[], number];
    return count > 0;
  }
}
