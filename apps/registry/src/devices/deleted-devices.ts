import { RowRetention } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';

/** How long ids of deleted devices are remembered: longer than the first contacts of these devices are in Kafka. */
const keptMs = 30 * 86_400_000;

const atOnce = 500;

const sql = `
  DELETE FROM registry.deleted_devices WHERE id IN (
    SELECT id FROM registry.deleted_devices WHERE deleted_at < now() - make_interval(secs => $1)
    ORDER BY deleted_at LIMIT ${atOnce} FOR UPDATE SKIP LOCKED)`;

/** Forgets the ids of devices that were deleted long ago. */
@Injectable()
export class DeletedDevices extends RowRetention {
  constructor(database: DataSource) {
    super(database, { sql, atOnce, keptMs }, 'ids of deleted devices');
  }
}
