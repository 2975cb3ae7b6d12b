import { AccountModels, contentFormat, mediaTypeOf, type ModelRegistry, type ObjectVersions } from '@lanyard/lwm2m';
import { FairQueue, formatTimestamp, isoTime, PreparedReads } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { DeviceNotFound, ResourceNotFound } from '../errors.js';
import { decode, modelOf } from '../resources/decode.js';
import { hoursToMs } from './branches.js';
import { HistorySettingsReader } from './history-settings.reader.js';
import type { ResourceHistory } from './resource-history.js';
import { stepOf, stepSeconds, stepsOf } from './steps.js';

export interface HistoryQuery {
  path: string;
  fromMs: number;
  toMs: number;
  points: number;
}

interface Resource {
  account_id: string;
  object_versions: ObjectVersions | null;
  /** Id of the resource; null: the device has none at the path. */
  id: string | null;
}

interface Row {
  at: string;
  content_format: number | null;
  value: Buffer;
}

type Value = ResourceHistory['values'][number];

const resourceSql = `
  SELECT d.account_id, d.object_versions, r.id FROM snapshot.devices d
  LEFT JOIN snapshot.resources r ON r.device_id = d.device_id AND r.path = $2
  WHERE d.device_id = $1 AND d.deleted_at IS NULL`;

// Values of the same moment are in the order of their arrival; those with a time of the device are in the order of a
// checksum (`tieOf` in history-writer.ts), so that it is the same at each read. A value that comes again after its account has changed
// the setting may be in two branches.
const newestSql = `
  SELECT DISTINCT ON (h.at, tie) ${isoTime('at')} AS at, content_format, value FROM snapshot.value_history h
  WHERE resource_id = $1 AND h.at >= $2 ORDER BY h.at DESC, tie DESC LIMIT $3`;

const valueOf = (path: string, { at, content_format, value }: Row, models: ModelRegistry): Value => {
  const contentType = mediaTypeOf(content_format ?? contentFormat.opaque);
  const decoded = decode(path, contentType, value, models);
  return {
    reported_at: at,
    value: value.toString('base64'),
    content_type: contentType,
    ...(decoded !== undefined && { decoded }),
  };
};

/** The values themselves, or steps if they are too many: if need be, one, which is the whole range. */
const inPoints = (
  values: Value[],
  { fromMs, toMs, points }: HistoryQuery,
): Pick<ResourceHistory, 'step_seconds' | 'values' | 'steps'> => {
  if (values.length <= points) return { step_seconds: null, values, steps: [] };
  const seconds = stepSeconds(fromMs, toMs, points);
  const dated = values.map(({ reported_at, decoded }) => ({ atMs: Date.parse(reported_at), decoded }));
  const steps = seconds === undefined ? [stepOf(fromMs, dated)] : stepsOf(dated, seconds);
  return {
    step_seconds: seconds ?? Math.ceil((toMs - fromMs) / 1_000),
    values: [],
    steps: steps.map(({ fromMs: ms, ...step }) => ({ from: formatTimestamp(ms), ...step })),
  };
};

@Injectable()
export class HistoryReader {
  private readonly prepared: PreparedReads;

  constructor(
    private readonly database: DataSource,
    private readonly models: AccountModels,
    private readonly settings: HistorySettingsReader,
  ) {
    this.prepared = new PreparedReads(database);
  }

  /** Throws DeviceNotFound, also for a device of another account, and ResourceNotFound. Takes turns with other accounts. */
  read(accountId: string, deviceId: string, query: HistoryQuery, nowMs: number): Promise<ResourceHistory> {
    return FairQueue.at(this.database).run(accountId, () => this.readNow(accountId, deviceId, query, nowMs));
  }

  private async readNow(
    accountId: string,
    deviceId: string,
    query: HistoryQuery,
    nowMs: number,
  ): Promise<ResourceHistory> {
    const { path, toMs } = query;
    const [resource] = await this.prepared.rows<Resource>(resourceSql, [deviceId, path]);
    if (resource?.account_id !== accountId) throw new DeviceNotFound();
    if (resource.id === null) throw new ResourceNotFound();
    const kept = this.settings.settingsOf(accountId);
    const fromMs = Math.min(toMs, Math.max(query.fromMs, nowMs - hoursToMs(kept.hours)));
    const models = this.models.registryOf(accountId, resource.object_versions ?? undefined);
    const model = modelOf(path, models);
    const rows = kept.hours > 0 ? await this.newest(resource.id, fromMs, kept.values + 1) : [];
    const values = rows
      .slice(0, kept.values)
      .filter(({ at }) => Date.parse(at) <= toMs)
      .reverse()
      .map((row) => valueOf(path, row, models));
    return {
      object: 'resource-history',
      device_id: deviceId,
      resource_path: path,
      ...(model && { name: model.name, type: model.type }),
      kept: kept.hours > 0 ? kept : null,
      from: formatTimestamp(fromMs),
      to: formatTimestamp(toMs),
      count: values.length,
      has_earlier: rows.length > kept.values,
      ...inPoints(values, { ...query, fromMs }),
    };
  }

  private newest(resourceId: string, fromMs: number, count: number): Promise<Row[]> {
    return this.prepared.rows<Row>(newestSql, [resourceId, new Date(fromMs).toISOString(), count]);
  }
}
