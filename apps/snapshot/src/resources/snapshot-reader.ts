import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { anyOf, formatTimestamp, isId, isoTime, PreparedReads, ReadBatcher } from '@lanyard/service';
import { AccountModels, type ModelRegistry, type ObjectVersions, parsePath } from '@lanyard/lwm2m';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DeviceNotFound } from '../errors.js';
import type { DeviceEcho, EchoResource } from './device-echo.js';
import { decode, modelOf } from './decode.js';
import { withSubscriptions } from './subscribed-paths.js';
import { withReportedUnits } from './units.js';

/** The values of a resource. */
interface Values {
  /** Null also if the value is left out. */
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

interface Row extends Values {
  device_id: string;
  account_id: string;
  endpoint_name: string;
  object_versions: ObjectVersions | null;
  updated_at: string | null;
  device_bytes: number;
  /** Null: the device has no resources; then no field of a resource is set. */
  path: string | null;
  /** The row is a subscription to the path, and no resource. */
  is_subscription: boolean;
  stored_bytes: number;
  /** Sizes of its values, if it has any. */
  reported_bytes: number | null;
  desired_bytes: number | null;
}

type PathRow = Row & { path: string };
type ResourceRow = PathRow & { subscribed: boolean };

/** If the values of a device have at most this size together, they are read at once. */
const wholeBytesMax = 262_144;
/** Of a larger snapshot, only values up to this size are read at once; the others are left out, and follow in parts. */
const smallBytesMax = 1_024;

const valuesBytes = 'coalesce(octet_length(reported_value), 0) + coalesce(octet_length(desired_value), 0)';

/** SQL of the column: NULL if its value is left out. */
const orLeftOut = (value: string): string =>
  `CASE WHEN octet_length(${value}) <= ${smallBytesMax} OR sum(${valuesBytes}) OVER () <= ${wholeBytesMax} THEN ${value} END AS ${value}`;

/** Columns about the values, without the values themselves. */
const aboutValues = `reported_content_type, ${isoTime('reported_at')} AS reported_at,
    ${isoTime('reported_expires_at')} AS reported_expires_at, desired_content_type, desired_status,
    ${isoTime('desired_at')} AS desired_at, ${isoTime('status_updated_at')} AS status_updated_at`;

const resourcesSql = `
  SELECT r.path, octet_length(reported_value) AS reported_bytes, octet_length(desired_value) AS desired_bytes,
    ${orLeftOut('reported_value')}, ${orLeftOut('desired_value')}, ${aboutValues}, pg_column_size(r.*) AS stored_bytes,
    false AS is_subscription
  FROM snapshot.resources r WHERE r.device_id = d.device_id
  UNION ALL
  SELECT s.path, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, sum(pg_column_size(s.*))::int, true
  FROM snapshot.subscriptions s WHERE s.device_id = d.device_id AND s.status = 'confirmed'
  GROUP BY s.path`;

/** Devices with each of their resources: one statement, so that both are of the same moment. */
const echoSql = `
  SELECT d.device_id, d.account_id, d.endpoint_name, d.object_versions, ${isoTime('d.registration_event_at')} AS updated_at, pg_column_size(d.*) AS device_bytes, r.*
  FROM snapshot.devices d LEFT JOIN LATERAL (${resourcesSql}) r ON true
  WHERE d.device_id = ${anyOf('$1')} AND d.deleted_at IS NULL`;

// Read with their times and types: a value may have changed since the device was read.
const valuesSql = `SELECT path, reported_value, desired_value, ${aboutValues}
  FROM snapshot.resources WHERE device_id = $1 AND path = ANY($2)`;

/** How long to wait for an unknown device, and how often to read it meanwhile. */
const waitMaxMs = 500;
const retryMs = 50;

const byNumbers = new Intl.Collator('en', { numeric: true });

const withDecoded = (path: string, contentType: string, bytes: Buffer, models: ModelRegistry) => {
  const decoded = decode(path, contentType, bytes, models);
  return { value: bytes.toString('base64'), ...(decoded !== undefined && { decoded }) };
};

const resource = (row: ResourceRow, models: ModelRegistry): EchoResource => {
  const model = modelOf(row.path, models);
  const objectName = models.object(parsePath(row.path).object)?.name;
  return {
    resource_path: row.path,
    ...(objectName !== undefined && { object_name: objectName }),
    ...(model && { name: model.name, type: model.type }),
    ...(model?.unit !== undefined && { unit: model.unit }),
    ...(model?.operations && { operations: model.operations }),
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

const leftOutBytes = ({ reported_bytes, reported_value, desired_bytes, desired_value }: ResourceRow): number =>
  (reported_value ? 0 : (reported_bytes ?? 0)) + (desired_value ? 0 : (desired_bytes ?? 0));

/** Splits the rows: each part but the last ends with the row at which its left-out values reach `wholeBytesMax`. */
const inParts = (rows: readonly ResourceRow[]): ResourceRow[][] => {
  const parts: ResourceRow[][] = [[]];
  let bytes = 0;
  for (const row of rows) {
    parts.at(-1)?.push(row);
    bytes += leftOutBytes(row);
    if (bytes < wholeBytesMax) continue;
    parts.push([]);
    bytes = 0;
  }
  return parts;
};

/** Reads the snapshot of one device. Throws DeviceNotFound for a device of another account. */
@Injectable()
export class SnapshotReader {
  private readonly prepared: PreparedReads;
  private readonly devices = new ReadBatcher((ids) => this.rowsOf(ids));

  constructor(
    database: DataSource,
    private readonly models: AccountModels,
  ) {
    this.prepared = new PreparedReads(database);
  }

  /** A large snapshot is JSON text that comes in parts, so that it is not in memory as a whole. */
  async read(accountId: string, deviceId: string, nowMs: number): Promise<DeviceEcho | Readable> {
    const found = await this.rowsOrWait(deviceId);
    const [device] = found;
    if (device?.account_id !== accountId) throw new DeviceNotFound();
    const rows = withSubscriptions(found.filter((row): row is PathRow => row.path !== null)).sort((a, b) =>
      byNumbers.compare(a.path, b.path),
    );
    const models = this.models.registryOf(accountId, device.object_versions ?? undefined);
    const resources = withReportedUnits(rows.map((row) => resource(row, models)));
    const lastReportedAt = latest(rows.map((row) => (row.reported_bytes === null ? undefined : row.reported_at)));
    const lastDesiredAt = latest(rows.map((row) => (row.desired_bytes === null ? undefined : row.desired_at)));
    const about: Omit<DeviceEcho, 'resources'> = {
      object: 'device-echo',
      device_id: deviceId,
      endpoint_name: device.endpoint_name,
      created_at: formatTimestamp(nowMs),
      ...(device.updated_at !== null && { updated_at: device.updated_at }),
      ...(lastReportedAt !== undefined && { last_reported_at: lastReportedAt }),
      ...(lastDesiredAt !== undefined && { last_desired_at: lastDesiredAt }),
      stored_bytes: rows.reduce((sum, row) => sum + row.stored_bytes, device.device_bytes),
    };
    if (!rows.some((row) => leftOutBytes(row) > 0)) return { ...about, resources };
    const known = new Map(resources.map((each) => [each.resource_path, each]));
    return Readable.from(this.parts(about, rows, known, models));
  }

  private async *parts(
    about: Omit<DeviceEcho, 'resources'>,
    rows: readonly ResourceRow[],
    known: ReadonlyMap<string, EchoResource>,
    models: ModelRegistry,
  ): AsyncGenerator<string> {
    yield `${JSON.stringify(about).slice(0, -1)},"resources":[`;
    let separator = '';
    for (const part of inParts(rows)) {
      const paths = part.flatMap((row) => (leftOutBytes(row) > 0 ? row.path : []));
      const values = await this.prepared.rows<Values & { path: string }>(valuesSql, [about.device_id, paths]);
      const byPath = new Map(values.map(({ path, ...rest }) => [path, rest]));
      for (const row of part) {
        const outline = known.get(row.path);
        const whole = byPath.get(row.path);
        // Its unit may be one that another resource reports.
        const unit = outline?.unit !== undefined && { unit: outline.unit };
        yield separator + JSON.stringify(whole ? { ...resource({ ...row, ...whole }, models), ...unit } : outline);
        separator = ',';
      }
    }
    yield ']}';
  }

  /**
   * Waits for an unknown device, because a client may know a device from a channel or the directory before its creation
   * is consumed here. Returns no rows if it stays unknown.
   */
  private async rowsOrWait(deviceId: string): Promise<Row[]> {
    for (let waitedMs = 0; ; waitedMs += retryMs) {
      const rows = await this.devices.get(deviceId);
      if (rows || waitedMs >= waitMaxMs || !isId(deviceId)) return rows ?? [];
      await sleep(retryMs);
    }
  }

  private async rowsOf(deviceIds: readonly string[]): Promise<Map<string, Row[]>> {
    const found = new Map<string, Row[]>();
    for (const row of await this.prepared.rows<Row>(echoSql, [deviceIds])) {
      const rows = found.get(row.device_id);
      if (rows) rows.push(row);
      else found.set(row.device_id, [row]);
    }
    return found;
  }
}
