import {
  type AccessScope,
  countOf,
  FairQueue,
  type FieldKind,
  type Filter,
  filtersToSql,
  type JsonText,
  type ListQuery,
  type ListSpec,
  listText,
} from '@lanyard/service';
import { suspensionCategories } from '@lanyard/contracts';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { deviceStates, executionModes, mechanisms } from './device-fields.js';
import { Device, deviceGroups, deviceRecord, withGroups } from './device-record.js';
import { DeviceTexts } from './device-texts.js';

/** Members of the record that are no filters, or whose kind of filter does not follow from their name. */
const excluded =
  /^(object|etag|groups|issuer_fingerprint|device_execution_mode|coap_\w+|dtls_\w+|last_\w+_description|\w+_attributes)$/;

const kindOf = (name: string): FieldKind => {
  if (['operator_suspended', 'system_suspended', 'auto_update'].includes(name)) return 'bool';
  return /_(at|timestamp|date)$/.test(name) ? 'date' : 'text';
};

const filterable = Object.keys(Device.shape).filter((name) => !excluded.test(name));

/** Filters of the device list, and of the list of a group's devices. */
export const deviceListSpec: ListSpec = {
  filters: {
    ...Object.fromEntries(filterable.map((name) => [name, kindOf(name)])),
    device_execution_mode: 'number',
    coap_ack_timeout_ms: 'number',
    coap_block_bytes: 'number',
    dtls_handshake_timer_ms: 'number',
    groups: 'text',
    search: 'text',
  },
  maps: ['custom_attributes', 'component_attributes'],
  sets: {
    state: deviceStates,
    lifecycle_status: ['enabled', 'blocked'],
    mechanism: mechanisms,
    device_execution_mode: executionModes,
    deployed_state: ['', 'development', 'production'],
    last_operator_suspended_category: ['', ...suspensionCategories],
    last_system_suspended_category: ['', ...suspensionCategories],
  },
};

const columns: Record<string, string> = Object.fromEntries(
  [...Object.keys(deviceListSpec.filters), ...(deviceListSpec.maps ?? [])].map((name) => [name, `d.${name}`]),
);

const inNoGroup = 'NOT EXISTS (SELECT 1 FROM registry.group_members g WHERE g.device_id = d.id)';

/** The empty string means no group, as it means no value for other fields. */
const membership = ({ operator, values }: Pick<Filter, 'operator' | 'values'>, parameters: unknown[]): string => {
  const inOne = `EXISTS (SELECT 1 FROM registry.group_members g
    WHERE g.device_id = d.id AND g.group_id = ANY($${parameters.push(values)}))`;
  const wanted = values.includes('') ? `(${inNoGroup} OR ${inOne})` : inOne;
  return operator === 'eq' || operator === 'in' ? wanted : `NOT ${wanted}`;
};

/** A line feed separates these fields. No text of a request contains one, so no match spans two fields. */
const searched = `lower(concat_ws(E'\\n', d.name, d.endpoint_name, d.serial_number, d.id))`;

/**
 * SQL condition of the filter `search`: one of these fields contains one of the values, ignoring case. PostgreSQL reads
 * every device of the account that matches the other filters.
 */
const searchMatch = ({ operator, values }: Pick<Filter, 'operator' | 'values'>, parameters: unknown[]): string => {
  const parts = values.map((part) => `strpos(${searched}, lower($${parameters.push(part)}::text)) > 0`);
  const inOne = `(${parts.join(' OR ')})`;
  return operator === 'eq' || operator === 'in' ? inOne : `NOT ${inOne}`;
};

const special: Record<string, (filter: Filter, parameters: unknown[]) => string> = {
  groups: membership,
  search: searchMatch,
};

/** SQL conditions on `registry.devices d`; their values are appended to `parameters`. */
export const deviceConditions = (
  { accountId, deviceGroups }: AccessScope,
  filters: readonly Filter[],
  parameters: unknown[],
  groupId?: string,
): string[] => {
  const isSpecial = ({ field }: Filter): boolean => Object.hasOwn(special, field);
  return [
    `d.account_id = $${parameters.push(accountId)}`,
    ...filtersToSql(
      filters.filter((filter) => !isSpecial(filter)),
      columns,
      parameters,
    ),
    ...filters.filter(isSpecial).map((filter) => special[filter.field]?.(filter, parameters) ?? 'TRUE'),
    ...(groupId === undefined ? [] : [membership({ operator: 'eq', values: [groupId] }, parameters)]),
    ...(deviceGroups === undefined ? [] : [membership({ operator: 'in', values: [...deviceGroups] }, parameters)]),
  ];
};

/** Rows of an export that are in memory at a time: a client that reads slowly holds them for as long as it likes. */
const exportedRows = 100;

/** Pages of devices by id: devices that are created meanwhile neither repeat nor hide others. */
@Injectable()
export class DeviceList {
  constructor(
    private readonly database: DataSource,
    private readonly texts: DeviceTexts,
  ) {}

  list(scope: AccessScope, query: ListQuery, groupId?: string): Promise<JsonText> {
    return FairQueue.at(this.database).run(scope.accountId, () => this.read(scope, query, groupId));
  }

  private async read(scope: AccessScope, query: ListQuery, groupId?: string): Promise<JsonText> {
    const parameters: unknown[] = [];
    const conditions = deviceConditions(scope, query.filters, parameters, groupId);
    const matching = `registry.devices d WHERE ${conditions.join(' AND ')}`;
    const total = query.includeTotal ? await countOf(this.database, matching, parameters) : undefined;
    if (query.after) conditions.push(`d.id ${query.order === 'ASC' ? '>' : '<'} $${parameters.push(query.after)}`);
    const { texts, hasMore } = await this.texts.readPage(conditions, parameters, query);
    return listText(texts, hasMore, query, total);
  }

  /** All devices, one page in memory at a time; each page waits for its turn at the database. */
  async *pages(scope: AccessScope, filters: readonly Filter[]): AsyncGenerator<Device[]> {
    for (let after = ''; ;) {
      const parameters: unknown[] = [];
      const conditions = deviceConditions(scope, filters, parameters);
      const sql = `SELECT ${deviceRecord} AS record, ${deviceGroups} AS groups FROM registry.devices d
        WHERE ${conditions.join(' AND ')} AND d.id > $${parameters.push(after)} ORDER BY d.id LIMIT ${exportedRows}`;
      const texts: { record: string; groups: string }[] = await FairQueue.at(this.database).run(scope.accountId, () =>
        this.database.query(sql, parameters),
      );
      const rows = texts.map(({ record, groups }) => JSON.parse(withGroups(record, groups)) as Device);
      if (rows.length > 0) yield rows;
      if (rows.length < exportedRows) return;
      after = rows.at(-1)?.id ?? '';
    }
  }
}
