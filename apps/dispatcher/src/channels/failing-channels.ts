import {
  type AttentionItem,
  attentionCountMax,
  formatTimestamp,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
} from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { AccountChannels, type Inspected } from './account-channels.js';

const inspectedAtOnce = 200;

const itemOf = ({ channel: { keyId }, failure }: Inspected): AttentionItem[] =>
  failure
    ? [
        {
          object: 'attention-item',
          kind: 'failing-channels',
          id: keyId,
          device_id: null,
          key_id: keyId,
          since: formatTimestamp(failure.sinceMs),
          text: failure.text,
        },
      ]
    : [];

/** Channels that do not deliver what they should. */
@Injectable()
export class FailingChannels {
  constructor(private readonly channels: AccountChannels) {}

  /** In the order of key ids. Looks at every channel that the caller sees, until the page, or what is counted, is full. */
  async list(caller: Identity, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const { after, limit, order, includeTotal } = query;
    const wanted = includeTotal ? Math.max(limit, attentionCountMax) : limit;
    const failing: AttentionItem[] = [];
    for (let cursor = after; ;) {
      const page = await this.channels.page(caller, { after: cursor, order, limit: inspectedAtOnce });
      failing.push(...page.flatMap(itemOf));
      cursor = page.at(-1)?.channel.keyId ?? cursor;
      if (page.length < inspectedAtOnce || failing.length > wanted) break;
    }
    return listEnvelope(failing, query, includeTotal ? failing.length : undefined);
  }
}
