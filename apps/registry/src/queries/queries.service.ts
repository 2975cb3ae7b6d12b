import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import {
  dividedChange,
  type ListEnvelope,
  type ListQuery,
  type ListSpec,
  parseListQuery,
  recordChange,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { notBlank } from '../devices/device-fields.js';
import { deviceListSpec } from '../devices/device-list.js';
import { FilterMissing, QueryNameTaken, QueryNotFound } from '../errors.js';
import { NamedRecords } from '../records/named-records.js';

const fields = {
  name: notBlank(z.string().min(1).max(128)),
  description: z.string().max(2_000).nullable(),
  query: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Filters of the device list, in the form of `filter`: `state=registered&name__neq=a`'),
};

export const NewQuerySchema = z
  .strictObject({ ...fields, description: fields.description.optional() })
  .meta({ id: 'NewDeviceQuery' });
export type NewQuery = z.infer<typeof NewQuerySchema>;

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

const changeable = z.object(fields).partial().shape;

export const QueryChangesSchema = recordChange(QuerySchema, changeable).meta({
  id: 'DeviceQueryChanges',
  examples: [{ query: 'state=registered' }],
});
export type QueryChanges = z.infer<typeof QueryChangesSchema>;

export const queryListSpec: ListSpec = {
  filters: { id: 'text', name: 'text', query: 'text', created_at: 'date', updated_at: 'date' },
};

/** Throws ValidationFailed with the unknown filters. */
export const filtersOf = (query: string): ListQuery['filters'] =>
  parseListQuery({ filter: query }, deviceListSpec).filters;

/** Throws as `filtersOf`, and FilterMissing. */
const mustFilter = (query: string): void => {
  if (filtersOf(query).length === 0) throw new FilterMissing();
};

/** Named filters of the device list. */
@Injectable()
export class QueriesService {
  private readonly records: NamedRecords<DeviceQuery>;

  constructor(database: DataSource, audit: AuditTrail) {
    this.records = new NamedRecords(database, audit, {
      object: 'device-query',
      table: 'device_queries',
      members: { name: 't.name', description: 't.description', query: 't.query' },
      notFound: () => new QueryNotFound(),
      nameTaken: () => new QueryNameTaken(),
      actions: { created: 'SYS_545', changed: 'SYS_546', deleted: 'SYS_547' },
    });
  }

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<DeviceQuery>> {
    return this.records.list(accountId, query);
  }

  get(accountId: string, id: string): Promise<DeviceQuery> {
    return this.records.get(accountId, id);
  }

  async create(actor: Actor, { name, description, query }: NewQuery): Promise<DeviceQuery> {
    mustFilter(query);
    return this.records.create(actor, { name, description: description ?? '', query });
  }

  /** Changes the given fields. Throws EtagDiffers for another version. */
  async change(actor: Actor, id: string, body: QueryChanges, ifMatch?: string): Promise<DeviceQuery> {
    const { changes, unchanged } = dividedChange(body, changeable);
    if (changes.query !== undefined) mustFilter(changes.query);
    const description = changes.description === null ? '' : changes.description;
    return this.records.change(actor, id, { ...changes, description }, { ifMatch, unchanged });
  }

  remove(actor: Actor, id: string, ifMatch?: string): Promise<void> {
    return this.records.remove(actor, id, ifMatch);
  }
}
