import {
  filtersToSql,
  isId,
  listEnvelope,
  type ListEnvelope,
  type ListQuery,
  type ListSpec,
  newId,
  parseListQuery,
} from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { z } from 'zod';
import { deviceListSpec } from '../devices/device-list.js';
import { etagOf, isUniqueViolation } from '../devices/devices.service.js';
import { PageNotFound, QueryNameTaken, QueryNotFound } from '../errors.js';
import { mustMatch } from '../etag.js';

const fields = {
  name: z.string().min(1).max(128),
  description: z.string().max(2_000).nullable(),
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Filters of the device list, as in `filter`: `state=registered&name__neq=a`'),
};

export const NewQuerySchema = z
  .object({ ...fields, description: fields.description.optional() })
  .meta({ id: 'NewDeviceQuery' });
export type NewQuery = z.infer<typeof NewQuerySchema>;

export const QueryChangesSchema = z.object(fields).partial().meta({ id: 'DeviceQueryChanges' });
export type QueryChanges = z.infer<typeof QueryChangesSchema>;

export const QuerySchema = z
  .object({
    object: z.literal('device-query'),
    id: z.string(),
    name: z.string(),
    description: z.string(),
    query: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'DeviceQuery' });
export type DeviceQuery = z.infer<typeof QuerySchema>;

export const queryListSpec: ListSpec = {
  filters: { id: 'text', name: 'text', query: 'text', created_at: 'date', updated_at: 'date' },
};

const columns = Object.fromEntries(Object.keys(queryListSpec.filters).map((name) => [name, `q.${name}`]));

const iso = (column: string): string => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
const select = `
  SELECT 'device-query' AS object, q.id, q.name, q.description, q.query, ${iso('q.created_at')} AS created_at,
    ${iso('q.updated_at')} AS updated_at, ${iso('q.updated_at')} AS etag
  FROM registry.device_queries q`;

/** Throws ValidationFailed naming the filters that are none. */
export const filtersOf = (query: string): ListQuery['filters'] =>
  parseListQuery({ filter: query }, deviceListSpec).filters;

const refusingTakenNames = async <T>(write: () => Promise<T>): Promise<T> => {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) throw new QueryNameTaken();
    throw error;
  }
};

/** Filters of devices that somebody gave a name. */
export class QueriesService {
  constructor(private readonly database: DataSource) {}

  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<DeviceQuery>> {
    const parameters: unknown[] = [accountId];
    const where = ['q.account_id = $1', ...filtersToSql(query.filters, columns, parameters)].join(' AND ');
    const [counted]: { n: number }[] = query.includeTotal
      ? await this.database.query(`SELECT count(*)::int AS n FROM registry.device_queries q WHERE ${where}`, parameters)
      : [];
    if (query.after !== null)
      await this.get(accountId, query.after).catch(() => {
        throw new PageNotFound();
      });
    const behind =
      query.after === null ? '' : ` AND q.id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`;
    const rows: DeviceQuery[] = await this.database.query(
      `${select} WHERE ${where}${behind} ORDER BY q.id ${query.order} LIMIT ${query.limit + 1}`,
      parameters,
    );
    return listEnvelope(rows, query, counted?.n);
  }

  async get(accountId: string, id: string): Promise<DeviceQuery> {
    const [found]: DeviceQuery[] = isId(id)
      ? await this.database.query(`${select} WHERE q.id = $1 AND q.account_id = $2`, [id, accountId])
      : [];
    if (!found) throw new QueryNotFound();
    return found;
  }

  async create(accountId: string, { name, description, query }: NewQuery): Promise<DeviceQuery> {
    filtersOf(query);
    const id = newId();
    await refusingTakenNames(() =>
      this.database.query(
        'INSERT INTO registry.device_queries (id, account_id, name, description, query) VALUES ($1, $2, $3, $4, $5)',
        [id, accountId, name, description ?? '', query],
      ),
    );
    return this.get(accountId, id);
  }

  /** What is given is changed. */
  async change(accountId: string, id: string, changes: QueryChanges, ifMatch?: string): Promise<DeviceQuery> {
    if (changes.query !== undefined) filtersOf(changes.query);
    const { name = null, query = null } = changes;
    const description = changes.description === null ? '' : (changes.description ?? null);
    await refusingTakenNames(() =>
      this.held(accountId, id, ifMatch, (run) =>
        run(
          `UPDATE registry.device_queries SET name = COALESCE($2, name), description = COALESCE($3, description),
             query = COALESCE($4, query), updated_at = clock_timestamp() WHERE id = $1`,
          [id, name, description, query],
        ),
      ),
    );
    return this.get(accountId, id);
  }

  async remove(accountId: string, id: string, ifMatch?: string): Promise<void> {
    await this.held(accountId, id, ifMatch, (run) => run('DELETE FROM registry.device_queries WHERE id = $1', [id]));
  }

  private async held(
    accountId: string,
    id: string,
    ifMatch: string | undefined,
    work: (run: (sql: string, parameters: unknown[]) => Promise<unknown>) => Promise<unknown>,
  ): Promise<void> {
    await this.database.transaction(async (manager) => {
      const [found] = (await manager.query(
        `SELECT ${etagOf} FROM registry.device_queries WHERE id = $1 AND account_id = $2 FOR UPDATE`,
        [id, accountId],
      )) as { etag: string }[];
      if (!found) throw new QueryNotFound();
      mustMatch(ifMatch, found.etag);
      await work((sql, parameters) => manager.query(sql, parameters));
    });
  }
}
