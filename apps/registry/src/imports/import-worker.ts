import { BackgroundWork, hasRow, newId, returning } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { importColumns, type NewDevice } from '../devices/device-fields.js';
import { deviceRowColumns, type DeviceRow } from '../devices/lifecycle.js';
import { DeviceQuotas } from '../quotas/device-quotas.js';
import { isSuspended } from '../devices/account-suspension.js';
import { NewDevices } from '../devices/new-devices.js';
import { readRow } from './import-row.js';

const periodMs = 1_000;
/** Rows of a step, and the size of their text: a row may have 65,536 characters, and a step has all of its rows in memory. */
const rowsAtOnce = 500;
const bytesAtOnce = 4 * 1_048_576;
/** After this time without progress, an upload counts as abandoned by its replica. */
const abandonedAfter = '5 minutes';

/** The import that waited longest, of the account whose turn is longest ago or that had none. A suspended account has no turn. */
const nextSql = `
  SELECT i.id, i.account_id, i.key_id, i.request_id FROM registry.device_imports i
  LEFT JOIN registry.import_turns t ON t.account_id = i.account_id
  WHERE i.status IN ('new', 'processing') AND NOT ${isSuspended('i.account_id')}
  ORDER BY t.taken_at NULLS FIRST, i.touched_at LIMIT 1 FOR UPDATE OF i SKIP LOCKED`;
/** Takes the first row in any case, and further ones up to the limits. */
const rowsSql = `
  DELETE FROM registry.device_import_rows WHERE import_id = $1 AND row_number IN (
    SELECT row_number FROM (
      SELECT row_number, length, sum(length) OVER (ORDER BY row_number) AS bytes FROM (
        SELECT row_number, octet_length(fields::text) AS length FROM registry.device_import_rows
        WHERE import_id = $1 ORDER BY row_number LIMIT ${rowsAtOnce}
      ) first
    ) sized WHERE bytes - length < ${bytesAtOnce})
  RETURNING row_number, fields`;
const turnSql = `
  INSERT INTO registry.import_turns (account_id, taken_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE SET taken_at = excluded.taken_at`;

interface OpenImport {
  id: string;
  account_id: string;
  key_id: string;
  request_id: string | null;
}

interface StoredRow {
  row_number: number;
  fields: Record<string, unknown>;
}

/** Names that are too long are truncated in the report, but still identify their row. */
const reportTextMax = 128;

/** Truncates by code points, because half of one cannot be stored. */
const cut = (text: string): string => {
  const characters = [...text.slice(0, 2 * (reportTextMax + 1))];
  return characters.length > reportTextMax ? `${characters.slice(0, reportTextMax).join('')}…` : text;
};

interface Problem {
  row: number;
  endpointName: string;
  field: string;
  message: string;
}

interface Candidate {
  row: number;
  device: NewDevice;
}

const columns = ['id', 'account_id', ...importColumns];

/** The defaults of fields that the table omits. */
const defaults = {
  description: '',
  state: 'unenrolled',
  mechanism: 'connector',
  mechanism_url: '',
  device_execution_mode: 1,
  custom_attributes: {},
};

const given = (device: NewDevice): object =>
  Object.fromEntries(Object.entries(device).filter(([, value]) => value !== null && value !== undefined));

/**
 * Creates the devices of imports, a few hundred in one transaction with their announcements. Accounts take turns, and so do the
 * imports of an account: neither a large import nor many of them delay the others. Any replica may do the next step; after a
 * crash, no step is repeated.
 */
@Injectable()
export class ImportWorker extends BackgroundWork {
  constructor(
    private readonly database: DataSource,
    private readonly newDevices: NewDevices,
    private readonly quotas: DeviceQuotas,
  ) {
    super(periodMs, 'import not continued, tried again');
  }

  protected async step(): Promise<boolean> {
    if (!(await hasRow(this.database, `SELECT FROM registry.device_imports WHERE status <> 'completed'`))) return false;
    await this.database.query(
      `DELETE FROM registry.device_imports WHERE status = 'uploading' AND touched_at < now() - interval '${abandonedAfter}'`,
    );
    return this.database.transaction((manager) => this.advance(manager));
  }

  /** Returns whether there was something to do. */
  private async advance(manager: EntityManager): Promise<boolean> {
    const [open] = await manager.query<OpenImport[]>(nextSql);
    if (!open) return false;
    const rows = await returning<StoredRow>(manager, rowsSql, [open.id]);
    rows.sort((a, b) => a.row_number - b.row_number);
    const problems = await this.make(manager, open, rows);
    await this.report(manager, open.id, problems);
    const leftSql = 'SELECT FROM registry.device_import_rows WHERE import_id = $1 AND row_number > $2';
    const done = !(await hasRow(manager, leftSql, [open.id, rows.at(-1)?.row_number ?? 0]));
    await manager.query(
      `UPDATE registry.device_imports SET processed_count = processed_count + $2, errors_count = errors_count + $3,
         status = $4, touched_at = clock_timestamp(), completed_at = CASE WHEN $5 THEN clock_timestamp() END WHERE id = $1`,
      [open.id, rows.length, new Set(problems.map((p) => p.row)).size, done ? 'completed' : 'processing', done],
    );
    await manager.query(turnSql, [open.account_id]);
    return true;
  }

  private async make(manager: EntityManager, open: OpenImport, rows: readonly StoredRow[]): Promise<Problem[]> {
    const problems: Problem[] = [];
    const candidates: Candidate[] = [];
    for (const { row_number: row, fields } of rows) {
      const read = readRow(fields);
      const endpointName = typeof fields['endpoint_name'] === 'string' ? fields['endpoint_name'] : '';
      if ('device' in read) candidates.push({ row, device: read.device });
      else problems.push(...read.problems.map((problem) => ({ row, endpointName, ...problem })));
    }
    problems.push(...(await this.create(manager, open, candidates)));
    return problems;
  }

  /** Returns why rows created no device: the name is in use, or the account has reached its quota. */
  private async create(manager: EntityManager, open: OpenImport, candidates: readonly Candidate[]): Promise<Problem[]> {
    if (candidates.length === 0) return [];
    const problems: Problem[] = [];
    const refuse = (those: readonly Candidate[], field: string, message: string): void => {
      for (const { row, device } of those)
        problems.push({ row, endpointName: device.endpoint_name ?? '', field, message });
    };
    const insert = async (): Promise<DeviceRow[]> => {
      const [free, taken] = await this.byName(manager, open.account_id, candidates);
      const room = await this.quotas.room(manager, open.account_id, free.length);
      const { made, late } = await this.insert(manager, open.account_id, free.slice(0, room));
      refuse([...taken, ...late], 'endpoint_name', 'Already taken');
      refuse(free.slice(room), 'row', 'The account has reached its quota of devices');
      return made;
    };
    const actor = { keyId: open.key_id, requestId: open.request_id ?? undefined };
    await this.newDevices.create(manager, open.account_id, insert, actor);
    return problems;
  }

  /** Candidates whose endpoint name is free, and those whose name is taken, by a device or an earlier row: these need no room. */
  private async byName(
    manager: EntityManager,
    accountId: string,
    candidates: readonly Candidate[],
  ): Promise<[free: Candidate[], taken: Candidate[]]> {
    const names = candidates.flatMap(({ device }) => device.endpoint_name ?? []);
    const known = await manager.query<{ endpoint_name: string }[]>(
      'SELECT endpoint_name FROM registry.devices WHERE account_id = $1 AND endpoint_name = ANY($2)',
      [accountId, names],
    );
    const seen = new Set(known.map((row) => row.endpoint_name));
    const free: Candidate[] = [];
    const taken: Candidate[] = [];
    for (const candidate of candidates) {
      const name = candidate.device.endpoint_name;
      (name && seen.has(name) ? taken : free).push(candidate);
      if (name) seen.add(name);
    }
    return [free, taken];
  }

  /** `late`: a concurrent transaction has used their names. */
  private async insert(
    manager: EntityManager,
    accountId: string,
    candidates: readonly Candidate[],
  ): Promise<{ made: DeviceRow[]; late: Candidate[] }> {
    const records = candidates.map(({ device }) => ({
      id: newId(),
      account_id: accountId,
      ...defaults,
      ...given(device),
    }));
    // In the order of names, so that two imports with the same names never deadlock.
    const made = await manager.query<DeviceRow[]>(
      `INSERT INTO registry.devices (${columns.join(', ')})
       SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::registry.devices, $1::jsonb) ORDER BY endpoint_name
       ON CONFLICT DO NOTHING RETURNING ${deviceRowColumns}`,
      [JSON.stringify(records)],
    );
    const ids = new Set(made.map((row) => row.id));
    return { made, late: candidates.filter((_, i) => !ids.has(records[i]?.id ?? '')) };
  }

  private async report(manager: EntityManager, importId: string, problems: readonly Problem[]): Promise<void> {
    if (problems.length === 0) return;
    await manager.query(
      `INSERT INTO registry.device_import_errors (import_id, row_number, endpoint_name, field, message)
       SELECT $1, p.row, p."endpointName", p.field, p.message
       FROM jsonb_to_recordset($2::jsonb) AS p (row integer, "endpointName" text, field text, message text)`,
      [
        importId,
        JSON.stringify(problems.map((p) => ({ ...p, endpointName: cut(p.endpointName), field: cut(p.field) }))),
      ],
    );
  }
}
