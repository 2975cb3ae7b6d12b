import type { Actor, OperatorAction } from '@lanyard/contracts';
import type { AuditTrail } from '@lanyard/kafka';
import {
  changesOf,
  fairPageOf,
  insertRow,
  isoTime,
  isUniqueViolation,
  type ListEnvelope,
  type ListQuery,
  mustMatch,
  newId,
  type ServiceError,
  violatedIndex,
} from '@lanyard/service';
import type { DataSource, EntityManager } from 'typeorm';
import type { z } from 'zod';
import { etagColumn } from './etag.js';

export type RecordChange = 'created' | 'changed' | 'deleted';

/** A kind of named records of an account; its table is `t` in SQL. */
export interface RecordKind<T> {
  object: string;
  /** The members of the record. Each is the column of the same name, unless `expressions` has it. */
  schema: z.ZodObject;
  table: string;
  /** The kind's name in the audit, if that is not `object`. */
  target?: string;
  /** SQL expressions of other members, without times and the etag, which every kind has. */
  expressions?: Record<string, string>;
  /** SQL expressions for filters and orders, for members that are not compared in the form that is shown. */
  compared?: Record<string, string>;
  notFound: () => ServiceError;
  /** `index`: the unique index that another record occupies. */
  nameTaken: (index: string | undefined) => ServiceError;
  actions: { created: OperatorAction; changed: OperatorAction; deleted: OperatorAction };
  /** What the audit says about the record, beside its id and name. */
  data?: (record: T) => Record<string, string>;
  changeable: Record<string, unknown>;
  /** Read-only members that change although the record does not: a client may send back an outdated value. */
  volatileMembers?: readonly string[];
  /** Called in the transaction of a change: after the change, but before a deletion. May throw. */
  onChange?: (manager: EntityManager, change: RecordChange, record: T, actor: Actor) => Promise<void>;
}

export interface NamedRecord {
  id: string;
  name: string;
}

/** The column and the value of each given field, objects as JSON; omitted fields stay unchanged. */
const given = (fields: Record<string, unknown>): [string, unknown][] =>
  Object.entries(fields).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined) return [];
    return [[name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value]];
  });

/** The changed fields as the audit shows them. */
export const auditChanges = (fields: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(given(fields).map(([name, value]) => [name, String(value ?? '')]));

/**
 * Lists, shows, creates, changes and deletes records with unique names in their account, as the API shows them. Uses SQL, because
 * the etag is a time in microseconds, which a Date cannot hold.
 */
export abstract class NamedRecords<T extends NamedRecord> {
  private readonly columns: Record<string, string>;
  private readonly selected: string;
  private readonly from: string;

  constructor(
    protected readonly database: DataSource,
    protected readonly audit: AuditTrail,
    private readonly kind: RecordKind<T>,
  ) {
    const { object, schema, table, expressions, compared } = kind;
    this.columns = { ...expressions, ...compared };
    const etag = isoTime('t.updated_at');
    const times = { created_at: isoTime('t.created_at'), updated_at: etag, etag };
    const shown: Record<string, string> = { object: `'${object}'`, ...times, ...expressions };
    const names = Object.keys(schema.shape);
    this.selected = names.map((name) => `${shown[name] ?? `t.${name}`} AS ${name}`).join(', ');
    this.from = `registry.${table} t`;
  }

  /** `among`: only records with these ids. */
  list(accountId: string, query: ListQuery, among?: readonly string[]): Promise<ListEnvelope<T>> {
    const { selected, from, columns } = this;
    const where = 't.account_id = $1 AND ($2::text[] IS NULL OR t.id = ANY($2))';
    const source = { selected, from, columns, where, parameters: [accountId, among ?? null] };
    return fairPageOf(this.database, accountId, source, query);
  }

  /** Throws the not-found error of the kind, also for a record of another account. */
  async get(accountId: string, id: string, manager: EntityManager = this.database.manager): Promise<T> {
    const sql = `SELECT ${this.selected} FROM ${this.from} WHERE t.id = $1 AND t.account_id = $2`;
    const [found] = await manager.query<T[]>(sql, [id, accountId]);
    if (!found) throw this.kind.notFound();
    return found;
  }

  async create(actor: Actor, fields: Record<string, unknown>): Promise<T> {
    const { accountId } = actor;
    const row = { id: newId(), account_id: accountId, ...Object.fromEntries(given(fields)) };
    return this.refusingTakenNames(async (manager) => {
      await insertRow(manager, `registry.${this.kind.table}`, row);
      const made = await this.get(accountId, row.id, manager);
      await this.kind.onChange?.(manager, 'created', made, actor);
      await this.recordAction(manager, actor, { change: 'created', record: made, changes: auditChanges(fields) });
      return made;
    });
  }

  /** Changes the given fields. Throws EtagDiffers for another version, ValidationFailed for a changed read-only field. */
  async change(actor: Actor, id: string, body: object, ifMatch?: string): Promise<T> {
    const { table, changeable, volatileMembers } = this.kind;
    return this.refusingTakenNames(async (manager) => {
      await this.lockRecord(manager, actor.accountId, id, ifMatch);
      const record = await this.get(actor.accountId, id, manager);
      const changes = changesOf(body as Record<string, unknown>, changeable, record, volatileMembers);
      const fields = { ...changes, ...(changes['description'] === null && { description: '' }) };
      const columns = given(fields);
      await manager.query(
        `UPDATE registry.${table} SET ${columns.map(([name], i) => `${name} = $${i + 2}, `).join('')}
         updated_at = clock_timestamp() WHERE id = $1`,
        [id, ...columns.map(([, value]) => value)],
      );
      const changed = await this.get(actor.accountId, id, manager);
      await this.kind.onChange?.(manager, 'changed', changed, actor);
      await this.recordAction(manager, actor, { change: 'changed', record: changed, changes: auditChanges(fields) });
      return changed;
    });
  }

  async remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    await this.database.transaction(async (manager) => {
      await this.lockRecord(manager, actor.accountId, id, ifMatch);
      const gone = await this.get(actor.accountId, id, manager);
      await this.kind.onChange?.(manager, 'deleted', gone, actor);
      await manager.query(`DELETE FROM registry.${this.kind.table} WHERE id = $1`, [id]);
      await this.recordAction(manager, actor, { change: 'deleted', record: gone });
    });
  }

  /** Locks the record until the transaction ends. Throws the not-found error of the kind, and EtagDiffers. */
  protected async lockRecord(
    manager: EntityManager,
    accountId: string,
    id: string,
    ifMatch: string | undefined,
  ): Promise<void> {
    const [current] = await manager.query<{ etag: string }[]>(
      `SELECT ${etagColumn} FROM registry.${this.kind.table} WHERE id = $1 AND account_id = $2 FOR UPDATE`,
      [id, accountId],
    );
    if (!current) throw this.kind.notFound();
    mustMatch(ifMatch, current.etag);
  }

  protected async refusingTakenNames(write: (manager: EntityManager) => Promise<T>): Promise<T> {
    try {
      return await this.database.transaction(write);
    } catch (error) {
      if (isUniqueViolation(error)) throw this.kind.nameTaken(violatedIndex(error));
      throw error;
    }
  }

  protected async recordAction(
    manager: EntityManager,
    actor: Actor,
    { change, record, changes }: { change: RecordChange; record: T; changes?: Record<string, string> },
  ): Promise<void> {
    const { accountId } = actor;
    const { object, target = object, data, actions } = this.kind;
    await this.audit.record(manager, actions[change], {
      accountId,
      actor,
      target: { kind: target, id: record.id, name: record.name },
      ...(data && { data: data(record) }),
      ...(changes && { changes }),
    });
  }
}
