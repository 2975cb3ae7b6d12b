import { RowRetention } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long a device without groups keeps its revision: longer than a replica may be suspended with facts that it has read. */
const keptMs = 86_400_000;

const atOnce = 5_000;

const sql = `
  DELETE FROM event_log.memberships WHERE device_id IN (
    SELECT device_id FROM event_log.memberships WHERE groups = '{}' AND changed_at < $1
    ORDER BY changed_at LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`;

/** Forgets devices that left their last group a day ago. */
@Injectable()
export class MembershipRetention extends RowRetention {
  constructor(database: DataSource) {
    super(database, { sql, atOnce, keptMs }, 'rows of devices without groups');
  }
}
