import {
  countOf,
  FairQueue,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  withinPage,
} from '@lanyard/service';
import { DataSource } from 'typeorm';
import { z } from 'zod';
import { Injectable } from '@nestjs/common';
import { KeyHasNoSubscriptions } from '../errors.js';
import { PresubscriptionRuleSchema } from '../presubscriptions/rule.js';
import { Rules } from '../presubscriptions/rules.js';
import { Subscriptions } from './subscriptions.js';

export const KeySubscriptionsSchema = z
  .object({
    id: z.string().describe('Id of the API key, application or user'),
    object: z.literal('key-subscriptions'),
    presubscriptions: z.array(PresubscriptionRuleSchema).describe('Its presubscription rules, in order'),
    subscriptions_count: z.number().int().describe('Number of subscribed resources, over all devices'),
    devices_count: z.number().int().describe('Number of devices to which it is subscribed'),
  })
  .meta({ id: 'KeySubscriptions' });
export type KeySubscriptions = z.infer<typeof KeySubscriptionsSchema>;

export const keySubscriptionsSpec = { filters: {} } as const;

/** Keys of the account `$1` with subscriptions or rules. */
const keys = `(SELECT key_id AS id FROM subscriptions WHERE account_id = $1
               UNION SELECT key_id FROM presubscriptions WHERE account_id = $1) AS keys`;

const select = (where: string): string => `
  SELECT id, 'key-subscriptions' AS object, coalesce(p.rules, '[]') AS presubscriptions,
         (SELECT count(*)::int FROM subscriptions s WHERE s.key_id = id) AS subscriptions_count,
         (SELECT count(DISTINCT s.device_id)::int FROM subscriptions s WHERE s.key_id = id) AS devices_count
  FROM ${keys}
  LEFT JOIN presubscriptions p ON p.key_id = id ${where}`;

/** Subscriptions and rules of all keys of an account, for its administrators. */
@Injectable()
export class SubscriptionsOfKeys {
  constructor(
    private readonly dataSource: DataSource,
    private readonly subscriptions: Subscriptions,
    private readonly rules: Rules,
  ) {}

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<KeySubscriptions>> {
    return FairQueue.at(this.dataSource).run(accountId, () => this.page(accountId, query));
  }

  private async page(accountId: string, query: ListQuery): Promise<ListEnvelope<KeySubscriptions>> {
    const { after, includeTotal, limit, order } = query;
    const total = includeTotal ? await countOf(this.dataSource, keys, [accountId]) : undefined;
    const rows: { id: string; bytes: number }[] = await this.dataSource.query(
      `SELECT id, coalesce(octet_length(p.rules::text), 0) AS bytes FROM ${keys} LEFT JOIN presubscriptions p ON p.key_id = id
       WHERE $2::text IS NULL OR id ${order === 'ASC' ? '>' : '<'} $2 ORDER BY id ${order} LIMIT ${limit + 1}`,
      [accountId, after],
    );
    const shown = withinPage(rows.slice(0, limit));
    const ids = shown.map(({ id }) => id);
    const records = await this.read(`WHERE id = ANY($2) ORDER BY id ${order}`, [accountId, ids]);
    const hasMore = rows.length > shown.length;
    // All were removed between the two statements. Clients continue after the last item of a page, so it needs one.
    if (records.length === 0 && hasMore) return this.page(accountId, query);
    return listEnvelope(records, query, total, hasMore);
  }

  /** Also queued per account: it counts the subscriptions of the key, which may be a million. Throws KeyHasNoSubscriptions. */
  async get(accountId: string, keyId: string): Promise<KeySubscriptions> {
    const [row] = await FairQueue.at(this.dataSource).run(accountId, () =>
      this.read('WHERE id = $2', [accountId, keyId]),
    );
    if (!row) throw new KeyHasNoSubscriptions();
    return row;
  }

  /** Removes all subscriptions and rules of the key, as if the key had done it. */
  async remove(actor: Identity, keyId: string): Promise<void> {
    const { accountId } = actor;
    await this.get(accountId, keyId);
    await this.rules.replace(accountId, keyId, [], actor);
    await this.subscriptions.forgetKey(keyId, actor.requestId);
  }

  private read(where: string, parameters: readonly unknown[]): Promise<KeySubscriptions[]> {
    return this.dataSource.query(select(where), [...parameters]);
  }
}
