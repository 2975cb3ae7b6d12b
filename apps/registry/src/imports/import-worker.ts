import { type Clock, type Logger, newId } from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import type { NewDevice } from '../devices/device-fields.js';
import { deviceRowColumns, type DeviceRow, type Lifecycle } from '../devices/lifecycle.js';
import type { DeviceQuotas } from '../quotas/device-quotas.js';
import { BackgroundSteps } from '../steps/background-steps.js';
import { importColumns, readRow } from './import-row.js';

const periodMs = 1_000;
const rowsAtOnce = 500;
/** An upload that its replica never finished: nothing came of it for so long. */
const abandonedAfter = '5 minutes';

/** Of the account whose turn is longest ago, or that had none, the import that waited longest. */
const nextSql = `
  SELECT i.id, i.account_id, i.key_id, i.request_id FROM registry.device_imports i
  LEFT JOIN registry.import_turns t ON t.account_id = i.account_id
  WHERE i.status IN ('new', 'processing')
  ORDER BY t.taken_at NULLS FIRST, i.touched_at LIMIT 1 FOR UPDATE OF i SKIP LOCKED`;
const turnSql = `
  INSERT INTO registry.import_turns (account_id, taken_at) VALUES ($1, clock_timestamp())
  ON CONFLICT (account_id) DO UPDATE SET taken_at = excluded.taken_at`;

interface OpenImport {
  id: string;
  account_id: string;
  key_id: string;
  request_id: string | null;
}

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

/** What the table gives a device that says nothing about a field. */
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
 * Makes the devices of imports, a few hundred in one transaction with their announcements. Accounts take turns, and the
 * imports of an account: neither a large one nor many hold up the others. Any replica may do the next step; a crash
 * repeats none.
 */
export class ImportWorker {
  readonly steps: BackgroundSteps;

  constructor(
    private readonly database: DataSource,
    private readonly lifecycle: Lifecycle,
    private readonly quotas: DeviceQuotas,
    clock: Clock,
    logger: Logger,
  ) {
    this.steps = new BackgroundSteps({
      step: () => this.next(),
      periodMs,
      clock,
      logger,
      failure: 'import not continued',
    });
  }

  private async next(): Promise<boolean> {
    await this.database.query(
      `DELETE FROM registry.device_imports WHERE status = 'uploading' AND touched_at < now() - interval '${abandonedAfter}'`,
    );
    return this.database.transaction((manager) => this.step(manager));
  }

  /** Whether there was something to do. */
  private async step(manager: EntityManager): Promise<boolean> {
    const [open] = (await manager.query(nextSql)) as OpenImport[];
    if (!open) return false;
    const [rows] = (await manager.query(
      `DELETE FROM registry.device_import_rows WHERE import_id = $1 AND row_number IN
         (SELECT row_number FROM registry.device_import_rows WHERE import_id = $1 ORDER BY row_number LIMIT ${rowsAtOnce})
       RETURNING row_number, fields`,
      [open.id],
    )) as [{ row_number: number; fields: Record<string, unknown> }[], number];
    const problems = await this.make(
      manager,
      open,
      rows.toSorted((a, b) => a.row_number - b.row_number),
    );
    await this.report(manager, open.id, problems);
    const done = rows.length < rowsAtOnce;
    await manager.query(
      `UPDATE registry.device_imports SET processed_count = processed_count + $2, errors_count = errors_count + $3,
         status = $4, touched_at = clock_timestamp(), completed_at = CASE WHEN $5 THEN clock_timestamp() END WHERE id = $1`,
      [open.id, rows.length, new Set(problems.map((p) => p.row)).size, done ? 'completed' : 'processing', done],
    );
    await manager.query(turnSql, [open.account_id]);
    return true;
  }

  private async make(
    manager: EntityManager,
    open: OpenImport,
    rows: readonly { row_number: number; fields: Record<string, unknown> }[],
  ): Promise<Problem[]> {
    const problems: Problem[] = [];
    const candidates: Candidate[] = [];
    for (const { row_number: row, fields } of rows) {
      const read = readRow(fields);
      const endpointName = typeof fields['endpoint_name'] === 'string' ? fields['endpoint_name'] : '';
      if ('device' in read) candidates.push({ row, device: read.device });
      else problems.push(...read.problems.map((problem) => ({ row, endpointName, ...problem })));
    }
    const room = await this.quotas.room(manager, open.account_id, candidates.length);
    const refused = (candidate: Candidate, field: string, message: string): Problem => ({
      row: candidate.row,
      endpointName: candidate.device.endpoint_name ?? '',
      field,
      message,
    });
    problems.push(...candidates.slice(room).map((c) => refused(c, 'row', 'The account has no room for more devices')));
    const taken = await this.insert(manager, open, candidates.slice(0, room));
    problems.push(...taken.map((c) => refused(c, 'endpoint_name', 'Already taken')));
    return problems;
  }

  /** Answers those whose endpoint name is taken, in the directory or by a row before. */
  private async insert(
    manager: EntityManager,
    open: OpenImport,
    candidates: readonly Candidate[],
  ): Promise<Candidate[]> {
    if (candidates.length === 0) return [];
    const records = candidates.map(({ device }) => ({
      id: newId(),
      account_id: open.account_id,
      ...defaults,
      ...given(device),
    }));
    const made = (await manager.query(
      `INSERT INTO registry.devices (${columns.join(', ')})
       SELECT ${columns.join(', ')} FROM jsonb_populate_recordset(NULL::registry.devices, $1::jsonb)
       ON CONFLICT DO NOTHING RETURNING ${deviceRowColumns}`,
      [JSON.stringify(records)],
    )) as DeviceRow[];
    await this.lifecycle.announceAll(manager, 'created', made, () => ({
      actor: { keyId: open.key_id, requestId: open.request_id ?? undefined },
    }));
    const ids = new Set(made.map((row) => row.id));
    return candidates.filter((_, i) => !ids.has(records[i]?.id ?? ''));
  }

  private async report(manager: EntityManager, importId: string, problems: readonly Problem[]): Promise<void> {
    if (problems.length === 0) return;
    await manager.query(
      `INSERT INTO registry.device_import_errors (import_id, row_number, endpoint_name, field, message)
       SELECT $1, p.row, p."endpointName", p.field, p.message
       FROM jsonb_to_recordset($2::jsonb) AS p (row integer, "endpointName" text, field text, message text)`,
      [importId, JSON.stringify(problems)],
    );
  }
}
