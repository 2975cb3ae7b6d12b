import { attentionCountMax, type AttentionItem } from '@lanyard/contracts';
import {
  CLOCK,
  type Clock,
  countOf,
  FairQueue,
  isoTime,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  type ListSpec,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { lostSubscriptionsListedMs } from '../limits.js';

interface Row {
  device_id: string;
  key_id: string;
  path: string;
  endpoint_name: string;
  since: string;
}

/** Device, key and path, as the id of an item has them. */
const idForm = /^([0-9a-f]{32})-([0-9a-f]{32})-(\d+(?:-\d+){0,3})$/;

export const lostSubscriptionsSpec = { filters: {}, cursor: idForm } as const satisfies ListSpec;

const lostSql = `
  FROM snapshot.subscriptions s JOIN snapshot.devices d USING (device_id)
  WHERE s.lost_in = $1 AND s.changed_at > $2 AND d.deleted_at IS NULL`;

const itemOf = ({ device_id, key_id, path, endpoint_name, since }: Row): AttentionItem => ({
  object: 'attention-item',
  kind: 'lost-subscriptions',
  id: `${device_id}-${key_id}${path.replaceAll('/', '-')}`,
  device_id,
  key_id,
  since,
  text: `The device ${endpoint_name} no longer reports ${path}: it has registered again, or ended the observation. The application must subscribe again, or a presubscription does so at each registration.`,
});

/** Subscriptions that devices ended, and that applications have not asked for again. */
@Injectable()
export class LostSubscriptions {
  constructor(
    private readonly database: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the order of devices, keys and paths. */
  list(accountId: string, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    return FairQueue.at(this.database).run(accountId, () => this.page(accountId, query));
  }

  private async page(accountId: string, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const { limit, after, order, includeTotal } = query;
    const since = new Date(this.clock.now() - lostSubscriptionsListedMs).toISOString();
    const [, deviceId, keyId, path] = idForm.exec(after ?? '') ?? [];
    const behind =
      path === undefined ? '' : `AND (device_id, key_id, path) ${order === 'ASC' ? '>' : '<'} ($3, $4, $5)`;
    const cursor = path === undefined ? [] : [deviceId, keyId, `/${path.replaceAll('-', '/')}`];
    const rows: Row[] = await this.database.query(
      `SELECT device_id, key_id, path, d.endpoint_name, ${isoTime('s.changed_at')} AS since ${lostSql} ${behind}
       ORDER BY device_id ${order}, key_id ${order}, path ${order} LIMIT ${limit + 1}`,
      [accountId, since, ...cursor],
    );
    const lost = `(SELECT 1 ${lostSql} LIMIT ${attentionCountMax + 1}) l`;
    const total = includeTotal ? await countOf(this.database, lost, [accountId, since]) : undefined;
    return listEnvelope(rows.map(itemOf), query, total);
  }
}
