import { columnsOf, PreparedStatement } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { isNotDeleted } from '../db/deleted-devices.js';
import { foldDesired, foldReported } from './fold.js';
import type { ListedResource } from './listing.js';
import type { DesiredValue, ReportedValue } from './values.js';

/** SQL of the given rows, without those of deleted devices. */
const given = (columns: readonly string[], types: readonly string[]): string => {
  const parameters = types.map((type, i) => `$${i + 1}::${type}[]`).join(', ');
  return `SELECT * FROM unnest(${parameters}) AS v (${columns.join(', ')}) WHERE ${isNotDeleted('v.device_id')}`;
};

const reportedColumns = [
  'device_id',
  'path',
  'reported_value',
  'reported_content_type',
  'reported_at',
  'reported_expires_at',
  'reported_epoch',
  'reported_sequence',
  'reported_measured',
];
const reportedTypes = ['text', 'text', 'bytea', 'text', 'timestamptz', 'timestamptz', 'bigint', 'bigint', 'boolean'];

const desiredColumns = [
  'device_id',
  'path',
  'desired_value',
  'desired_content_type',
  'desired_status',
  'desired_at',
  'desired_command_id',
  'status_updated_at',
];
const desiredTypes = ['text', 'text', 'bytea', 'text', 'smallint', 'timestamptz', 'text', 'timestamptz'];

const assignments = (columns: readonly string[]): string =>
  columns
    .slice(2)
    .map((c) => `${c} = excluded.${c}`)
    .join(', ');

// The guard makes the write idempotent: a repeated or reordered value never takes the snapshot back in time. It is
// `isNewer` of the fold.
const recordReported = new PreparedStatement<never>(`
  INSERT INTO snapshot.resources AS r (${reportedColumns.join(', ')})
  ${given(reportedColumns, reportedTypes)}
  ON CONFLICT (device_id, path) DO UPDATE SET ${assignments(reportedColumns)}
  WHERE r.reported_epoch IS NULL OR CASE WHEN r.reported_measured OR excluded.reported_measured
    THEN (r.reported_at, r.reported_epoch, r.reported_sequence) < (excluded.reported_at, excluded.reported_epoch, excluded.reported_sequence)
    ELSE (r.reported_epoch, r.reported_sequence) < (excluded.reported_epoch, excluded.reported_sequence) END`);

const recordDesired = new PreparedStatement<never>(`
  INSERT INTO snapshot.resources AS r (${desiredColumns.join(', ')})
  ${given(desiredColumns, desiredTypes)}
  ON CONFLICT (device_id, path) DO UPDATE SET ${assignments(desiredColumns)}
  WHERE r.desired_command_id IS NULL
    OR (r.desired_command_id = excluded.desired_command_id AND r.desired_status = 0 AND excluded.desired_status <> 0)
    OR (r.desired_command_id <> excluded.desired_command_id
        AND (r.desired_at, r.desired_command_id) < (excluded.desired_at, excluded.desired_command_id))`);

// A known resource is not changed.
const listedSql = `
  INSERT INTO snapshot.resources (device_id, path)
  SELECT DISTINCT device_id, path FROM unnest($1::text[], $2::text[]) AS l (device_id, path)
  WHERE ${isNotDeleted('l.device_id')} ORDER BY device_id, path
  ON CONFLICT DO NOTHING`;

/** Writes a batch with one statement. Batches may be repeated, in any order. */
@Injectable()
export class ResourceWriter {
  constructor(private readonly database: DataSource) {}

  async storeListed(resources: readonly ListedResource[]): Promise<void> {
    if (resources.length === 0) return;
    await this.database.query(listedSql, columnsOf(resources.map((r) => [r.deviceId, r.path])));
  }

  async storeReported(values: readonly ReportedValue[]): Promise<void> {
    const rows = foldReported(values).map((v) => [
      v.deviceId,
      v.path,
      v.value,
      v.contentType,
      v.reportedAt,
      v.expiresAt,
      v.epoch,
      v.sequence,
      v.isMeasured,
    ]);
    if (rows.length > 0) await recordReported.run(this.database.manager, columnsOf(rows));
  }

  async storeDesired(values: readonly DesiredValue[]): Promise<void> {
    const rows = foldDesired(values).map((v) => [
      v.deviceId,
      v.path,
      v.value,
      v.contentType,
      v.status,
      v.desiredAt,
      v.commandId,
      v.statusUpdatedAt,
    ]);
    if (rows.length > 0) await recordDesired.run(this.database.manager, columnsOf(rows));
  }
}
