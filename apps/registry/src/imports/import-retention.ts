import { affected, BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

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
export class ImportRetention extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(periodMs, 'completed imports not deleted, tried again');
  }

  protected async step(): Promise<boolean> {
    const keptFrom = new Date(this.clock.now() - completedImportDays * dayMs);
    return (await affected(this.database, removeSql, [keptFrom.toISOString()])) > 0;
  }
}
