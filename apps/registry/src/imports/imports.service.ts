import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import {
  affected,
  type Clock,
  CLOCK,
  countOf,
  fairPageOf,
  FairQueue,
  hasRow,
  isForeignKeyViolation,
  type ListEnvelope,
  type ListQuery,
  newId,
} from '@lanyard/service';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { ImportDeleted, ImportNotFound, MalformedImport, TooManyImports } from '../errors.js';
import { csvRow, csvRows, csvTable } from '../csv.js';
import { type DeviceImport, importRecord } from './import-record.js';
import { checkHeader, fieldsOf } from './import-row.js';
import { ImportWorker } from './import-worker.js';

export const importRowsMax = 100_000;
/** Rows of a spreadsheet. Each empty one, too, takes time to read, and 256 MiB of line ends would take minutes. */
export const tableRowsMax = 1_048_576;
export const importBytesMax = 256 * 1_048_576;
/** Imports of one account that are not completed. */
export const openImportsMax = 10;
const rowsAtOnce = 1_000;
/** Limits the rows in memory: an account may have ten concurrent uploads. */
const charactersAtOnce = 1_000_000;

/** How often an upload in progress is marked as alive: ImportWorker deletes those that are silent for minutes. */
const touchPeriodMs = 30_000;

/** First half of an advisory lock's key: the imports of an account begin one after the other. */
const lockSpace = 0x0b0f;

/** Throws MalformedImport, because text that is not UTF-8 would yield wrong names. */
async function* decoded(body: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (chunk?: Buffer): string => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw new MalformedImport('Not UTF-8: save the table as "CSV UTF-8"');
    }
  };
  for await (const chunk of body) yield decode(Buffer.from(chunk as Buffer | string));
  yield decode();
}

interface ImportRow {
  /** Its number in the table, from 1: the header and skipped rows count. A row may have several lines. */
  row: number;
  fields: Record<string, unknown>;
}

/** The audit entry of an action on an import. */
const entryOf = (actor: Actor, { id, name }: Pick<DeviceImport, 'id' | 'name'>, data: Record<string, string>) => ({
  accountId: actor.accountId,
  actor,
  target: { kind: 'device-import', id, name },
  data,
});

/** Stores uploaded tables and shows their progress; ImportWorker creates the devices. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly worker: ImportWorker,
  ) {}

  /** Stores the rows as they arrive. Throws TooManyImports, MalformedImport, ImportDeleted; nothing is then stored. */
  async storeTable(importer: Actor, name: string, body: Readable): Promise<DeviceImport> {
    const id = newId();
    await this.database.transaction((manager) => this.begin(manager, importer, id, name));
    try {
      const total = await this.store(id, body);
      await this.database.transaction(async (manager) => {
        const sql = `UPDATE registry.device_imports SET status = 'new', total_count = $2, touched_at = clock_timestamp() WHERE id = $1`;
        if ((await affected(manager, sql, [id, total])) === 0) throw new ImportDeleted();
        await this.audit.record(manager, 'SYS_552', entryOf(importer, { id, name }, { total_count: String(total) }));
      });
    } catch (error) {
      await this.discard(id);
      // If the import exists, only the answer to the commit was lost.
      if (!(await hasRow(this.database, 'SELECT FROM registry.device_imports WHERE id = $1', [id])))
        throw isForeignKeyViolation(error) ? new ImportDeleted() : error;
    }
    this.worker.wake();
    return this.get(importer.accountId, id);
  }

  async get(accountId: string, id: string): Promise<DeviceImport> {
    const [found] = await this.database.query<DeviceImport[]>(
      `SELECT ${importRecord} FROM registry.device_imports t WHERE t.id = $1 AND t.account_id = $2`,
      [id, accountId],
    );
    if (!found) throw new ImportNotFound();
    return found;
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<DeviceImport>> {
    const source = { selected: importRecord, from: 'registry.device_imports t', where: 't.account_id = $1' };
    return fairPageOf(this.database, accountId, { ...source, parameters: [accountId] }, query);
  }

  /** Deletes the import, its rows and its report, which may have many rows: so it waits for its turn. The created devices stay. */
  async remove(actor: Actor, id: string): Promise<void> {
    const found = await this.get(actor.accountId, id);
    await FairQueue.at(this.database).run(actor.accountId, () =>
      this.database.transaction((manager) => this.removeWith(manager, actor, found)),
    );
  }

  private async removeWith(manager: EntityManager, actor: Actor, found: DeviceImport): Promise<void> {
    const { id, status, processed_count: processed } = found;
    // Another request may have deleted it meanwhile.
    if ((await affected(manager, 'DELETE FROM registry.device_imports WHERE id = $1', [id])) === 0)
      throw new ImportNotFound();
    const data = { status, processed_count: String(processed) };
    await this.audit.record(manager, 'SYS_553', entryOf(actor, found, data));
  }

  private async begin(manager: EntityManager, importer: Actor, id: string, name: string): Promise<void> {
    const { accountId, keyId, requestId } = importer;
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    const open = `registry.device_imports WHERE account_id = $1 AND status <> 'completed'`;
    if ((await countOf(manager, open, [accountId])) >= openImportsMax) throw new TooManyImports(openImportsMax);
    await manager.query(
      `INSERT INTO registry.device_imports (id, account_id, key_id, name, status, request_id) VALUES ($1, $2, $3, $4, 'uploading', $5)`,
      [id, accountId, keyId, name, requestId],
    );
  }

  /** CSV: row (the header is 1, empty ones count), endpoint_name, field, message. Chunks wait for their turn. */
  errors(accountId: string, importId: string): Promise<Readable> {
    return csvTable(['row', 'endpoint_name', 'field', 'message'], this.errorRows(accountId, importId));
  }

  private async *errorRows(accountId: string, importId: string): AsyncGenerator<string, void> {
    for (let after = 0; ;) {
      const sql = `SELECT row_number, endpoint_name, field, message FROM registry.device_import_errors
        WHERE import_id = $1 AND row_number > $2 ORDER BY row_number FETCH FIRST ${rowsAtOnce} ROWS WITH TIES`;
      const rows: { row_number: number; endpoint_name: string; field: string; message: string }[] = await FairQueue.at(
        this.database,
      ).run(accountId, () => this.database.query(sql, [importId, after]));
      if (rows.length === 0) return;
      yield rows.map((r) => csvRow([String(r.row_number), r.endpoint_name, r.field, r.message])).join('');
      after = rows.at(-1)?.row_number ?? after;
    }
  }

  /** Deletes what arrived of an upload, unless it is complete. */
  private async discard(id: string): Promise<void> {
    await this.database.query(`DELETE FROM registry.device_imports WHERE id = $1 AND status = 'uploading'`, [id]);
  }

  private async store(importId: string, body: Readable): Promise<number> {
    const waiting: ImportRow[] = [];
    let header: string[] | undefined;
    let row = 0;
    let stored = 0;
    let characters = 0;
    for await (const cells of csvRows(this.touching(importId, decoded(body)))) {
      if (++row > tableRowsMax)
        throw new MalformedImport(`More than ${tableRowsMax} rows with empty ones: remove those, or split the table`);
      // Spreadsheets end their tables with empty rows.
      if (cells.every((cell) => cell === '')) continue;
      if (header) waiting.push({ row, fields: fieldsOf(header, cells) });
      else checkHeader((header = cells.map((name) => name.trim())));
      for (const cell of cells) characters += cell.length;
      if (stored + waiting.length > importRowsMax)
        throw new MalformedImport(`More than ${importRowsMax} rows: split the table`);
      if (waiting.length < rowsAtOnce && characters < charactersAtOnce) continue;
      stored += await this.insertRows(importId, waiting.splice(0));
      characters = 0;
    }
    if (!header) throw new MalformedImport('The table is empty');
    return stored + (await this.insertRows(importId, waiting));
  }

  /** Marks the import as alive while its text arrives. */
  private async *touching(importId: string, text: AsyncIterable<string>): AsyncGenerator<string> {
    let touchedMs = this.clock.now();
    const sql = 'UPDATE registry.device_imports SET touched_at = clock_timestamp() WHERE id = $1';
    for await (const chunk of text) {
      yield chunk;
      // The absolute difference, so that the upload does not count as abandoned after the clock was set back.
      if (Math.abs(this.clock.now() - touchedMs) < touchPeriodMs) continue;
      touchedMs = this.clock.now();
      await this.database.query(sql, [importId]);
    }
  }

  /** Returns the number of rows. */
  private async insertRows(importId: string, rows: readonly ImportRow[]): Promise<number> {
    if (rows.length > 0)
      await this.database.query(
        `INSERT INTO registry.device_import_rows (import_id, row_number, fields)
         SELECT $1, r."row", r.fields FROM jsonb_to_recordset($2::jsonb) AS r ("row" integer, fields jsonb)`,
        [importId, JSON.stringify(rows)],
      );
    return rows.length;
  }
}
