import { RowRetention } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long a completed import and its report are kept. */
export const completedImportDays = 30;

const dayMs = 86_400_000;

/** One import at a time, because its report may have many lines. */
const atOnce = 1;

const sql = `
  DELETE FROM registry.device_imports WHERE id =
    (SELECT id FROM registry.device_imports
     WHERE status = 'completed' AND completed_at < now() - make_interval(secs => $1)
     ORDER BY completed_at LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`;

/** Deletes imports that were completed long ago, with their reports. The created devices stay. */
@Injectable()
export class ImportRetention extends RowRetention {
  constructor(database: DataSource) {
    super(database, { sql, atOnce, keptMs: completedImportDays * dayMs }, 'completed imports');
  }
}
