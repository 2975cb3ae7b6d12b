import {
  countOf,
  FairQueue,
  formatTimestamp,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Commands } from '../commands/commands.js';
import type { Subscription } from '../interest/subscription.entity.js';

/** The subscription of one key to one resource of one device. */
export const DeviceSubscriptionSchema = z
  .object({
    id: z.string().describe('The id of the key and the path'),
    object: z.literal('device-subscription'),
    device_id: z.string(),
    key_id: z.string().describe('Id of the API key, application or user whose channel gets the values'),
    resource_path: z.string(),
    attributes: z
      .string()
      .nullable()
      .describe('Attributes of the observation, as the query of the subscription; null: none'),
    origin: z.enum(['request', 'rule']).describe('`rule`: a presubscription rule of the key matched the device'),
    status: z.enum(['asked', 'confirmed']).describe('`confirmed`: the device reports the resource'),
    updated_at: z.string().describe('When the status changed'),
  })
  .meta({ id: 'DeviceSubscription' });
export type DeviceSubscription = z.infer<typeof DeviceSubscriptionSchema>;

export const deviceSubscriptionsSpec = { filters: {}, cursor: /^[0-9a-f]{32}(\/\d{1,5}){1,4}$/ } as const;

type Row = Pick<Subscription, 'deviceId' | 'keyId' | 'path' | 'attributes' | 'origin' | 'status' | 'changedAt'>;

const viewOf = ({ deviceId, keyId, path, attributes, origin, status, changedAt }: Row): DeviceSubscription => ({
  id: keyId + path,
  object: 'device-subscription',
  device_id: deviceId,
  key_id: keyId,
  resource_path: path,
  attributes,
  origin: origin === 'presubscription' ? 'rule' : 'request',
  status,
  updated_at: formatTimestamp(changedAt),
});

/** The order and position of a row: the columns that make up its id, compared byte by byte. */
const place = '(key_id || path) COLLATE "C"';

/** Lists the subscriptions to a device: of all keys for administrators, of the calling key for others. */
@Injectable()
export class SubscriptionsOfDevice {
  constructor(
    private readonly dataSource: DataSource,
    private readonly commands: Commands,
  ) {}

  /** Throws DeviceNotFound. */
  async list(caller: Identity, deviceId: string, query: ListQuery): Promise<ListEnvelope<DeviceSubscription>> {
    await this.commands.device(caller, deviceId);
    return FairQueue.at(this.dataSource).run(caller.accountId, () => this.page(caller, deviceId, query));
  }

  private async page(
    { keyId, permissions }: Identity,
    deviceId: string,
    query: ListQuery,
  ): Promise<ListEnvelope<DeviceSubscription>> {
    const { after, includeTotal, limit, order } = query;
    const whose = [deviceId, permissions.includes('admin') ? null : keyId];
    const seen = 'subscriptions WHERE device_id = $1 AND ($2::text IS NULL OR key_id = $2)';
    const rows: Row[] = await this.dataSource.query(
      `SELECT device_id AS "deviceId", key_id AS "keyId", path, attributes, origin, status, changed_at AS "changedAt"
       FROM ${seen} AND ($3::text IS NULL OR ${place} ${order === 'ASC' ? '>' : '<'} $3)
       ORDER BY ${place} ${order} LIMIT ${limit + 1}`,
      [...whose, after],
    );
    const total = includeTotal ? await countOf(this.dataSource, seen, whose) : undefined;
    return listEnvelope(rows.map(viewOf), query, total);
  }
}
