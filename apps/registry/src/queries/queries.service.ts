import type { Actor } from '@lanyard/contracts';
import { AuditTrail } from '@lanyard/kafka';
import { type ListQuery, type ListSpec, parseListQuery, recordChange } from '@lanyard/service';
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

export const NewQuery = z
  .strictObject({ ...fields, description: fields.description.optional() })
  .meta({ id: 'NewDeviceQuery' });
export type NewQuery = z.infer<typeof NewQuery>;

export const DeviceQuery = z
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
export type DeviceQuery = z.infer<typeof DeviceQuery>;

const changeable = z.object(fields).partial().shape;

export const QueryChanges = recordChange(DeviceQuery, changeable).meta({
  id: 'DeviceQueryChanges',
  examples: [{ query: 'state=registered' }],
});
export type QueryChanges = z.infer<typeof QueryChanges>;

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

@Injectable()
export class QueriesService extends NamedRecords<DeviceQuery> {
  constructor(database: DataSource, audit: AuditTrail) {
    super(database, audit, {
      object: 'device-query',
      schema: DeviceQuery,
      table: 'device_queries',
      changeable,
      notFound: () => new QueryNotFound(),
      nameTaken: () => new QueryNameTaken(),
      actions: { created: 'SYS_545', changed: 'SYS_546', deleted: 'SYS_547' },
    });
  }

  override async create(actor: Actor, { name, description, query }: NewQuery): Promise<DeviceQuery> {
    mustFilter(query);
    return super.create(actor, { name, description: description ?? '', query });
  }

  override async change(actor: Actor, id: string, body: QueryChanges, ifMatch?: string): Promise<DeviceQuery> {
    if (body.query !== undefined) mustFilter(body.query);
    return super.change(actor, id, body, ifMatch);
  }
}
