import { formatTimestamp, PreparedReads } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { DeviceNotFound } from '../errors.js';
import { type AccountModels, type ModelRegistry } from '@lanyard/lwm2m';
import type { DeviceEcho, EchoResource } from '../api/device-echo.js';
import { decode, modelOf } from './decode.js';

const iso = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

interface DeviceRow {
  endpoint_name: string;
  updated_at: string | null;
  stored_bytes: number;
}

interface ResourceRow {
  path: string;
  subscribed: boolean;
  stored_bytes: number;
  reported_value: Buffer | null;
  reported_content_type: string;
  reported_at: string;
  reported_expires_at: string;
  desired_value: Buffer | null;
  desired_content_type: string;
  desired_status: number;
  desired_at: string;
  status_updated_at: string;
}

const deviceSql = `
  SELECT endpoint_name, ${iso('registration_event_at')} AS updated_at, pg_column_size(d.*) AS stored_bytes
  FROM snapshot.devices d WHERE device_id = $1 AND account_id = $2 AND deleted_at IS NULL`;

// A subscription to an object or an instance covers every resource below it.
const resourcesSql = `
  SELECT r.path, reported_value, reported_content_type, ${iso('reported_at')} AS reported_at,
    ${iso('reported_expires_at')} AS reported_expires_at, desired_value, desired_content_type, desired_status, ${iso('desired_at')} AS desired_at,
    ${iso('status_updated_at')} AS status_updated_at, pg_column_size(r.*) AS stored_bytes,
    EXISTS (SELECT 1 FROM snapshot.subscriptions s WHERE s.device_id = r.device_id AND s.status = 'confirmed'
      AND (s.path = r.path OR starts_with(r.path, s.path || '/'))) AS subscribed
  FROM snapshot.resources r WHERE r.device_id = $1
  UNION ALL
  SELECT s.path, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(pg_column_size(s.*))::int, true
  FROM snapshot.subscriptions s
  WHERE s.device_id = $1 AND s.status = 'confirmed'
    AND NOT EXISTS (SELECT 1 FROM snapshot.resources r WHERE r.device_id = $1 AND (r.path = s.path OR starts_with(r.path, s.path || '/')))
  GROUP BY s.path`;

const byNumbers = new Intl.Collator('en', { numeric: true });

/** What the type of the resource makes of its bytes. */
const withDecoded = (path: string, contentType: string, bytes: Buffer, models: ModelRegistry) => {
  const decoded = decode(path, contentType, bytes, models);
  return { value: bytes.toString('base64'), ...(decoded !== undefined && { decoded }) };
};

const resource = (row: ResourceRow, models: ModelRegistry): EchoResource => {
  const model = modelOf(row.path, models);
  return {
    resource_path: row.path,
    ...(model && { name: model.name, type: model.type }),
    subscribed: row.subscribed,
    ...(row.reported_value && {
      reported: {
        ...withDecoded(row.path, row.reported_content_type, row.reported_value, models),
        content_type: row.reported_content_type,
        reported_at: row.reported_at,
        expires_at: row.reported_expires_at,
      },
    }),
    ...(row.desired_value && {
      desired: {
        ...withDecoded(row.path, row.desired_content_type, row.desired_value, models),
        status: row.desired_status,
        desired_at: row.desired_at,
        status_updated_at: row.status_updated_at,
      },
    }),
  };
};

const latest = (times: (string | undefined)[]): string | undefined =>
  times.reduce((a, b) => (a === undefined || (b !== undefined && b > a) ? b : a), undefined);

/** Reads the snapshot of one device. Throws DeviceNotFound for a device of another account. */
export class SnapshotReader {
  private readonly prepared: PreparedReads;

  constructor(
    database: DataSource,
    private readonly models: AccountModels,
  ) {
    this.prepared = new PreparedReads(database);
  }

  async read(accountId: string, deviceId: string, nowMs: number): Promise<DeviceEcho> {
    const [device] = await this.prepared.rows<DeviceRow>(deviceSql, [deviceId, accountId]);
    if (!device) throw new DeviceNotFound();
    const rows = await this.prepared.rows<ResourceRow>(resourcesSql, [deviceId]);
    const models = this.models.of(accountId);
    const resources = rows
      .map((row) => resource(row, models))
      .sort((a, b) => byNumbers.compare(a.resource_path, b.resource_path));
    const lastReportedAt = latest(resources.map((r) => r.reported?.reported_at));
    const lastDesiredAt = latest(resources.map((r) => r.desired?.desired_at));
    return {
      object: 'device-echo',
      device_id: deviceId,
      endpoint_name: device.endpoint_name,
      created_at: formatTimestamp(nowMs),
      ...(device.updated_at !== null && { updated_at: device.updated_at }),
      ...(lastReportedAt !== undefined && { last_reported_at: lastReportedAt }),
      ...(lastDesiredAt !== undefined && { last_desired_at: lastDesiredAt }),
      stored_bytes: rows.reduce((sum, row) => sum + row.stored_bytes, device.stored_bytes),
      resources,
    };
  }
}
