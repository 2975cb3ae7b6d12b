import { affected, BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long ids of deleted devices are remembered: longer than the first contacts of these devices are in Kafka. */
const keptDays = 30;

const periodMs = 600_000;
const dayMs = 86_400_000;
const idsAtOnce = 500;

const forgetSql = `
  DELETE FROM registry.deleted_devices WHERE id IN (
    SELECT id FROM registry.deleted_devices WHERE deleted_at < $1
    ORDER BY deleted_at LIMIT ${idsAtOnce} FOR UPDATE SKIP LOCKED)`;

/** Forgets the ids of devices that were deleted long ago. */
@Injectable()
export class DeletedDevices extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(periodMs, 'ids of deleted devices not forgotten, tried again');
  }

  protected async step(): Promise<boolean> {
    const keptFrom = new Date(this.clock.now() - keptDays * dayMs);
    return (await affected(this.database, forgetSql, [keptFrom.toISOString()])) === idsAtOnce;
  }
}
