import { RowRetention } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/**
 * How long the row of a device without groups, with its revision, is kept: longer than a replica may be suspended
 * between reading a fact and storing it.
 */
const keptMs = 86_400_000;

const atOnce = 5_000;

const sql = `
  DELETE FROM event_log.memberships WHERE device_id IN (
    SELECT device_id FROM event_log.memberships WHERE groups = '{}' AND changed_at < now() - make_interval(secs => $1)
    ORDER BY changed_at LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`;

/** Deletes the rows of devices that left their last group a day ago. */
@Injectable()
export class MembershipRetention extends RowRetention {
  constructor(database: DataSource) {
    super(database, { sql, atOnce, keptMs }, 'rows of devices without groups');
  }
}
