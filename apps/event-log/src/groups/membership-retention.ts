import { affected, BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long a device without groups keeps its revision: longer than a replica may be suspended with facts that it has read. */
const keptMs = 86_400_000;

const periodMs = 600_000;
const rowsAtOnce = 5_000;

const forgetSql = `
  DELETE FROM event_log.memberships WHERE device_id IN (
    SELECT device_id FROM event_log.memberships WHERE groups = '{}' AND changed_at < $1
    ORDER BY changed_at LIMIT ${rowsAtOnce} FOR UPDATE SKIP LOCKED)`;

/** Forgets devices that left their last group a day ago. */
@Injectable()
export class MembershipRetention extends BackgroundWork {
  constructor(private readonly database: DataSource) {
    super(periodMs, 'devices without groups not forgotten, tried again');
  }

  protected async step(): Promise<boolean> {
    const keptFrom = new Date(this.clock.now() - keptMs);
    return (await affected(this.database, forgetSql, [keptFrom.toISOString()])) === rowsAtOnce;
  }
}
