import {
  CLOCK,
  type Clock,
  countOf,
  FairQueue,
  type Filter,
  filtersToSql,
  type Identity,
  JsonText,
  type ListQuery,
  type ListSpec,
  listText,
  periodStart,
  PreparedReads,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { EventNotFound } from '../errors.js';
import { inGroups } from '../groups/membership-store.js';
import { eventCodes, toEventType } from '../log/codes.js';
import { weekMs } from '../limits.js';
import { selectEvent, selectPage } from './device-event.js';

/** Newest first, as the specification's reply shows (spec §2.6). */
export const eventListSpec: ListSpec = {
  filters: {
    date_time: 'date',
    created_at: 'date',
    id: 'text',
    device_log_id: 'text',
    device_id: 'text',
    group_id: 'text',
    description: 'text',
    event_type: 'text',
    event_code: 'text',
    event_type_category: 'text',
    event_type_description: 'text',
    state_change: 'bool',
  },
  maps: ['data', 'changes'],
  sets: {
    event_type_category: [...new Set(Object.values(eventCodes).map(({ category }) => category))].sort(),
    event_type_description: ['SUCCESS', 'FAIL', 'SKIPPED', 'INFO'],
  },
  defaultOrder: 'DESC',
};

const names = [...Object.keys(eventListSpec.filters), ...(eventListSpec.maps ?? [])];
const columns = { ...Object.fromEntries(names.map((name) => [name, name])), device_log_id: 'id' };

/** The types that values name: each is a type or a code. */
const typesOf = (values: Filter['values']): string[] => values.map((value) => toEventType(String(value)));

/**
 * SQL condition on the code of entries. Each value is a code or a type. A filter that selects entries also selects their
 * types, because the index contains types and not codes.
 */
const hasCode = ({ operator, values }: Filter, parameters: unknown[]): string => {
  const given = `$${parameters.push(values)}::text[]`;
  const isOne = `(event_code = ANY(${given}) OR event_type = ANY(${given}))`;
  if (operator !== 'eq' && operator !== 'in') return `NOT ${isOne}`;
  return `event_type = ANY($${parameters.push(typesOf(values))}::text[]) AND ${isOne}`;
};

/** SQL conditions of a filter on the entries of the account. */
const conditionsFor = (accountId: string, filter: Filter, parameters: unknown[]): string[] => {
  switch (filter.field) {
    case 'group_id':
      return [inGroups(accountId, filter, parameters)];
    case 'event_code':
      return [hasCode(filter, parameters)];
    case 'event_type':
      return filtersToSql([{ ...filter, values: typesOf(filter.values) }], columns, parameters);
    default:
      return filtersToSql([filter], columns, parameters);
  }
};

/** The latest time whose year has four digits, as in RFC 3339: `timeOf` returns no later one to PostgreSQL. */
const lastTimeMs = Date.parse('9999-12-31T23:59:59.999Z');

/** Whether the query is for the first page of the newest entries, and no filter selects a time or an id. */
const wantsNewest = ({ order, after, filters }: ListQuery): boolean =>
  order === 'DESC' && !after && !filters.some(({ field }) => ['date_time', 'id', 'device_log_id'].includes(field));

/** Whose entries: those of an account, or those of the devices that a caller is limited to. */
export type EntryOwner = Pick<Identity, 'accountId' | 'deviceGroups'>;

/** SQL conditions on the entries of an owner; their values are appended to `parameters`. */
export const conditionsOf = (
  { accountId, deviceGroups }: EntryOwner,
  filters: readonly Filter[],
  parameters: unknown[],
): string[] => [
  `account_id = $${parameters.push(accountId)}`,
  ...filters.flatMap((filter) => conditionsFor(accountId, filter, parameters)),
  ...(deviceGroups ? [inGroups(accountId, { operator: 'in', values: [...deviceGroups] }, parameters)] : []),
];

/** The time of a deleted entry: ids begin with the milliseconds. */
const timeOf = (id: string): string => {
  const ms = Math.min(parseInt(id.slice(0, 12), 16), lastTimeMs);
  return new Date(ms).toISOString();
};

interface Page {
  conditions: readonly string[];
  parameters: readonly unknown[];
  order: 'ASC' | 'DESC';
  count: number;
}

/** How far back the newest entries are searched for first: this week and the previous one. */
const recentMs = 7 * 86_400_000;

@Injectable()
export class EventsReader {
  private readonly prepared: PreparedReads;
  private recent: { since: string; prepared: PreparedReads } | undefined;

  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.prepared = new PreparedReads(database);
  }

  /** Keyset pagination: entries that arrive meanwhile neither repeat nor hide others. */
  list(owner: EntryOwner, query: ListQuery): Promise<JsonText> {
    return FairQueue.at(this.database).run(owner.accountId, () => this.read(owner, query));
  }

  private async read(owner: EntryOwner, query: ListQuery): Promise<JsonText> {
    const parameters: unknown[] = [];
    const conditions = conditionsOf(owner, query.filters, parameters);
    const matching = `event_log.device_events WHERE ${conditions.join(' AND ')}`;
    const total = query.includeTotal ? await countOf(this.database, matching, parameters) : undefined;
    if (query.after) conditions.push(await this.conditionAfter(owner.accountId, query.after, query.order, parameters));
    const rows = wantsNewest(query)
      ? await this.newest(conditions, parameters, query.limit + 1)
      : await this.page({ conditions, parameters, order: query.order, count: query.limit + 1 });
    const records = rows.slice(0, query.limit).flatMap((record) => record ?? []);
    return listText(records, rows.length > records.length, query, total);
  }

  async get(owner: EntryOwner, id: string): Promise<JsonText> {
    const parameters: unknown[] = [id];
    const conditions = conditionsOf(owner, [], parameters);
    const [event] = await this.prepared.tuples<[text: string, etag: string]>(
      `${selectEvent} WHERE id = $1 AND ${conditions.join(' AND ')}`,
      parameters,
    );
    if (!event) throw new EventNotFound();
    return new JsonText(...event);
  }

  /**
   * Entries of the last two weeks, then older ones if there are too few, and all of them fit into the page. The date is part of the
   * text, so that PostgreSQL excludes the partitions of other weeks when it plans; it would otherwise search each of them for every
   * page.
   */
  private async newest(
    conditions: readonly string[],
    parameters: readonly unknown[],
    count: number,
  ): Promise<(string | null)[]> {
    const since = new Date(periodStart(this.clock.now(), weekMs) - recentMs).toISOString();
    if (this.recent?.since !== since) this.recent = { since, prepared: new PreparedReads(this.database) };
    const { prepared } = this.recent;
    const read = (when: string): Promise<(string | null)[]> =>
      this.page({ conditions: [...conditions, when], parameters, order: 'DESC', count }, prepared);
    const recent = await read(`date_time >= '${since}'`);
    if (recent.length === count || recent.at(-1) === null) return recent;
    // The limit of a whole page, so that the statement is always the same.
    const older = await read(`date_time < '${since}'`);
    return [...recent, ...older.slice(0, count - recent.length)];
  }

  /** Records, as many as fit into a page, then null for each of the others. */
  private async page(
    { conditions, parameters, order, count }: Page,
    prepared: PreparedReads = this.prepared,
  ): Promise<(string | null)[]> {
    const rows = await prepared.tuples<[string | null]>(
      selectPage({ where: conditions.join(' AND '), order: `date_time ${order}, id ${order}`, count }),
      [...parameters],
    );
    return rows.map(([record]) => record);
  }

  /** SQL condition for the entries that follow `after` in the list; `after` may have been deleted. */
  private async conditionAfter(
    accountId: string,
    after: string,
    order: 'ASC' | 'DESC',
    parameters: unknown[],
  ): Promise<string> {
    const [last] = await this.prepared.rows<{ at: string }>(
      'SELECT date_time::text AS at FROM event_log.device_events WHERE id = $1 AND account_id = $2',
      [after, accountId],
    );
    const at = parameters.push(last?.at ?? timeOf(after));
    const id = parameters.push(after);
    return `(date_time, id) ${order === 'ASC' ? '>' : '<'} ($${at}::timestamptz, $${id})`;
  }
}
