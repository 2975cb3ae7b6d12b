import { contentFormatOf } from '@lanyard/lwm2m';
import { CLOCK, type Clock, columnsOf } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { crc32 } from 'node:zlib';
import { DataSource } from 'typeorm';
import { fastClockMs, historyValueBytesMax } from '../limits.js';
import type { ReportedValue } from '../resources/values.js';
import { type Branch, branchForHours, hoursToMs } from './branches.js';
import { HistorySettingsReader } from './history-settings.reader.js';

// The rows of the resources, which the join reads, were written a moment ago, in the same pages. A value that is
// repeated conflicts with its stored row, and is left out.
const appendSql = `
  INSERT INTO snapshot.value_history (resource_id, at, tie, keep_hours, content_format, value)
  SELECT r.id, v.at, v.tie, v.keep_hours, v.content_format, v.value
  FROM unnest($1::text[], $2::text[], $3::timestamptz[], $4::integer[], $5::smallint[], $6::smallint[], $7::bytea[])
    AS v (device_id, path, at, tie, keep_hours, content_format, value)
  JOIN snapshot.resources r USING (device_id, path)
  ON CONFLICT DO NOTHING`;

/**
 * Distinguishes values of one moment. A device that sends its own times may send a value again in another message: it is the
 * same value if its time and bytes are the same. Without a time of the device, each message is a new value.
 */
const tieOf = ({ isMeasured, value, sequence }: ReportedValue): number => (isMeasured ? crc32(value) : sequence) | 0;

/** Appends reported values to the history of their resources. Batches may be repeated, in any order. */
@Injectable()
export class HistoryWriter {
  constructor(
    private readonly database: DataSource,
    private readonly settings: HistorySettingsReader,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Call it after the resources of the values are stored. */
  async append(values: readonly ReportedValue[]): Promise<void> {
    const rows = values.flatMap((value) => {
      const branch = this.branchFor(value);
      return branch ? [rowOf(value, branch)] : [];
    });
    if (rows.length > 0) await this.database.query(appendSql, columnsOf(rows));
  }

  /**
   * The branch in which to store a value. undefined: the value is too large, is older than what the account keeps, or
   * is from too far in the future.
   */
  private branchFor({ accountId, reportedAt, value }: ReportedValue): Branch | undefined {
    if (value.length > historyValueBytesMax) return undefined;
    const { hours } = this.settings.settingsOf(accountId);
    const branch = branchForHours(hours);
    if (!branch) return undefined;
    const ageMs = this.clock.now() - Date.parse(reportedAt);
    return ageMs < hoursToMs(hours) && ageMs > -fastClockMs ? branch : undefined;
  }
}

const rowOf = (value: ReportedValue, { keptHours }: Branch): unknown[] => [
  value.deviceId,
  value.path,
  value.reportedAt,
  tieOf(value),
  keptHours,
  contentFormatOf(value.contentType) ?? null,
  value.value,
];
