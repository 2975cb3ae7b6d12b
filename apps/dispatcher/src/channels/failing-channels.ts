import { attentionCountMax, type AttentionItem } from '@lanyard/contracts';
import { formatTimestamp, type Identity, type ListEnvelope, listEnvelope, type ListQuery } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { AccountChannels, type Inspected } from './account-channels.js';

const inspectedAtOnce = 200;

const itemOf = ({ channel: { keyId: id }, failure }: Inspected): AttentionItem[] => {
  if (!failure) return [];
  const [since, text] = [formatTimestamp(failure.sinceMs), failure.text];
  return [{ object: 'attention-item', kind: 'failing-channels', id, device_id: null, key_id: id, since, text }];
};

/** Channels that do not deliver what they should. */
@Injectable()
export class FailingChannels {
  constructor(private readonly channels: AccountChannels) {}

  /** In the order of key ids. */
  async list(caller: Identity, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const { after, limit, order, includeTotal } = query;
    const counted = includeTotal
      ? await this.find(caller, { after: null, order }, Math.max(limit, attentionCountMax))
      : undefined;
    const rows = after === null && counted ? counted : await this.find(caller, { after, order }, limit);
    return listEnvelope(rows, query, counted?.length);
  }

  /** Looks at every channel that the caller sees behind `after`, until more than `count` fail. */
  private async find(
    caller: Identity,
    { after, order }: Pick<ListQuery, 'after' | 'order'>,
    count: number,
  ): Promise<AttentionItem[]> {
    const failing: AttentionItem[] = [];
    for (let cursor = after; ;) {
      const page = await this.channels.page(caller, { after: cursor, order, limit: inspectedAtOnce });
      failing.push(...page.flatMap(itemOf));
      cursor = page.at(-1)?.channel.keyId ?? cursor;
      if (page.length < inspectedAtOnce || failing.length > count) return failing;
    }
  }
}
