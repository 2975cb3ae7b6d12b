import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import {
  type Clock,
  CLOCK,
  FairTurns,
  isId,
  listEnvelope,
  type ListEnvelope,
  type ListQuery,
  newId,
} from '@lanyard/service';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { isForeignKeyViolation } from '../db/violations.js';
import { ImportDeleted, ImportNotFound, MalformedImport, TooManyImports } from '../errors.js';
import { CsvReader, csvRow } from '../csv.js';
import { type DeviceImport, selectImports } from './import-record.js';
import { checkHeader, fieldsOf } from './import-row.js';
import { ImportWorker } from './import-worker.js';

/** Rows of one import. */
export const importRowsMax = 100_000;
/** Imports of one account that are not completed. */
export const openImportsMax = 10;
const rowsAtOnce = 1_000;
/** Rows are kept in memory no further, however long they are: ten uploads of an account come at once. */
const charactersAtOnce = 1_000_000;

/** While a table comes, its import is touched this often: ImportWorker deletes what is silent for minutes. */
const touchPeriodMs = 30_000;

/** First half of an advisory lock's key: the imports of an account begin one after the other. */
const lockSpace = 0x0b0f;

/** Throws MalformedImport. What is not UTF-8 would be read as devices with other names. */
async function* decoded(body: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const decode = (piece?: Buffer): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined });
    } catch {
      throw new MalformedImport('Not UTF-8: save the table as "CSV UTF-8"');
    }
  };
  for await (const piece of body) yield decode(Buffer.from(piece as Buffer | string));
  yield decode();
}

interface ImportRow {
  /** As the table counts, from 1: with its header, and with rows that are left out. */
  row: number;
  fields: Record<string, unknown>;
}

/** Takes tables in and shows what became of them; ImportWorker makes the devices. */
@Injectable()
export class ImportsService {
  constructor(
    private readonly database: DataSource,
    private readonly audit: AuditTrail,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly worker: ImportWorker,
  ) {}

  /** Stores the rows as they come. Throws TooManyImports, MalformedImport, ImportDeleted: nothing of the table is kept. */
  async take(importer: Actor, name: string, body: Readable): Promise<DeviceImport> {
    const id = newId();
    await this.database.transaction((manager) => this.begin(manager, importer, id, name));
    try {
      const total = await this.store(id, body);
      await this.database.transaction(async (manager) => {
        const [, count] = (await manager.query(
          `UPDATE registry.device_imports SET status = 'new', total_count = $2, touched_at = clock_timestamp() WHERE id = $1`,
          [id, total],
        )) as [unknown[], number];
        if (count === 0) throw new ImportDeleted();
        await this.record(manager, 'SYS_552', importer, { id, name }, { total_count: String(total) });
      });
    } catch (error) {
      await this.database.query('DELETE FROM registry.device_imports WHERE id = $1', [id]);
      throw isForeignKeyViolation(error) ? new ImportDeleted() : error;
    }
    this.worker.wake();
    return this.get(importer.accountId, id);
  }

  async get(accountId: string, id: string): Promise<DeviceImport> {
    const [found]: DeviceImport[] = isId(id)
      ? await this.database.query(`${selectImports} WHERE i.id = $1 AND i.account_id = $2`, [id, accountId])
      : [];
    if (!found) throw new ImportNotFound();
    return found;
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<DeviceImport>> {
    return FairTurns.at(this.database).run(accountId, () => this.page(accountId, query));
  }

  private async page(accountId: string, query: ListQuery): Promise<ListEnvelope<DeviceImport>> {
    const [counted]: { n: number }[] = query.includeTotal
      ? await this.database.query('SELECT count(*)::int AS n FROM registry.device_imports WHERE account_id = $1', [
          accountId,
        ])
      : [];
    const rows: DeviceImport[] = await this.database.query(
      `${selectImports} WHERE i.account_id = $1 AND ($2::text IS NULL OR i.id ${query.order === 'ASC' ? '>' : '<'} $2)
       ORDER BY i.id ${query.order} LIMIT ${query.limit + 1}`,
      [accountId, query.after],
    );
    return listEnvelope(rows, query, counted?.n);
  }

  /** The report, with its rows and report gone too. Devices that were made stay. */
  async remove(actor: Actor, id: string): Promise<void> {
    const found = await this.get(actor.accountId, id);
    const { status, processed_count: processed } = found;
    await this.database.transaction(async (manager) => {
      await manager.query('DELETE FROM registry.device_imports WHERE id = $1', [id]);
      await this.record(manager, 'SYS_553', actor, found, { status, processed_count: String(processed) });
    });
  }

  private async begin(manager: EntityManager, importer: Actor, id: string, name: string): Promise<void> {
    const { accountId, keyId, requestId } = importer;
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    const [open] = (await manager.query(
      `SELECT count(*)::int AS n FROM registry.device_imports WHERE account_id = $1 AND status <> 'completed'`,
      [accountId],
    )) as { n: number }[];
    if ((open?.n ?? 0) >= openImportsMax) throw new TooManyImports(openImportsMax);
    await manager.query(
      `INSERT INTO registry.device_imports (id, account_id, key_id, name, status, request_id) VALUES ($1, $2, $3, $4, 'uploading', $5)`,
      [id, accountId, keyId, name, requestId],
    );
  }

  private async record(
    manager: EntityManager,
    action: 'SYS_552' | 'SYS_553',
    actor: Actor,
    { id, name }: Pick<DeviceImport, 'id' | 'name'>,
    data: Record<string, string>,
  ): Promise<void> {
    const target = { kind: 'device-import', id, name };
    await this.audit.record(manager, action, { accountId: actor.accountId, actor, target, data });
  }

  /** CSV: row (the header is 1, empty ones count), endpoint_name, field, message. Each piece of it waits for its turn. */
  async *errors(accountId: string, importId: string): AsyncGenerator<string> {
    yield csvRow(['row', 'endpoint_name', 'field', 'message']);
    for (let after = 0; ;) {
      const sql = `SELECT row_number, endpoint_name, field, message FROM registry.device_import_errors
        WHERE import_id = $1 AND row_number > $2 ORDER BY row_number FETCH FIRST ${rowsAtOnce} ROWS WITH TIES`;
      const rows: { row_number: number; endpoint_name: string; field: string; message: string }[] = await FairTurns.at(
        this.database,
      ).run(accountId, () => this.database.query(sql, [importId, after]));
      if (rows.length === 0) return;
      yield rows.map((r) => csvRow([String(r.row_number), r.endpoint_name, r.field, r.message])).join('');
      after = rows.at(-1)?.row_number ?? after;
    }
  }

  private async store(importId: string, body: Readable): Promise<number> {
    const reader = new CsvReader();
    const waiting: ImportRow[] = [];
    let header: string[] | undefined;
    let row = 0;
    let stored = 0;
    let characters = 0;
    const take = async (rows: string[][], isLast: boolean): Promise<void> => {
      for (const cells of rows) {
        row++;
        // Spreadsheets end their tables with such rows.
        if (cells.every((cell) => cell === '')) continue;
        if (header) waiting.push({ row, fields: fieldsOf(header, cells) });
        else checkHeader((header = cells.map((name) => name.trim())));
        for (const cell of cells) characters += cell.length;
        if (stored + waiting.length > importRowsMax)
          throw new MalformedImport(`More than ${importRowsMax} rows: split the table`);
        if (waiting.length < rowsAtOnce && characters < charactersAtOnce) continue;
        stored += await this.keep(importId, waiting.splice(0));
        characters = 0;
      }
      if (isLast) stored += await this.keep(importId, waiting.splice(0));
    };
    let touchedMs = this.clock.now();
    for await (const piece of decoded(body)) {
      await take(reader.push(piece), false);
      if (this.clock.now() - touchedMs < touchPeriodMs) continue;
      touchedMs = this.clock.now();
      await this.touch(importId);
    }
    await take(reader.end(), true);
    if (!header) throw new MalformedImport('Empty');
    return stored;
  }

  private async touch(importId: string): Promise<void> {
    await this.database.query('UPDATE registry.device_imports SET touched_at = clock_timestamp() WHERE id = $1', [
      importId,
    ]);
  }

  private async keep(importId: string, rows: readonly ImportRow[]): Promise<number> {
    if (rows.length > 0)
      await this.database.query(
        `INSERT INTO registry.device_import_rows (import_id, row_number, fields)
         SELECT $1, r."row", r.fields FROM jsonb_to_recordset($2::jsonb) AS r ("row" integer, fields jsonb)`,
        [importId, JSON.stringify(rows)],
      );
    return rows.length;
  }
}
