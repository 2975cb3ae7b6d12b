import {
  type AttentionItem,
  CLOCK,
  type Clock,
  formatTimestamp,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, LessThan, MoreThan } from 'typeorm';
import { Channel } from '../db/channel.entity.js';
import { ChannelRegistry, type QueueState } from '../queue/channel-registry.js';

/** An application that is away for less is restarting. */
const absentAfterMs = 300_000;

/** Channels that are inspected at once. */
const inspectedAtOnce = 100;

/** Channels that one call inspects at most; the next page continues behind them. */
const inspectedMax = 1_000;

const stopped = {
  key_reset: 'Its key was reset, so the callback must be registered again.',
  key_revoked: 'Its key may not receive notifications any more.',
} as const;

const queued = (events: number): string => `${events} ${events === 1 ? 'event waits' : 'events wait'} in its queue`;

/** Since when and why a channel does not deliver; undefined: it does. */
export const failureOf = (
  channel: Pick<Channel, 'stopped' | 'stoppedAt' | 'kind'>,
  queue: QueueState | undefined,
  nowMs: number,
): { sinceMs: number; text: string } | undefined => {
  if (channel.stopped)
    return {
      sinceMs: channel.stoppedAt?.getTime() ?? nowMs,
      text: `The callback is stopped. ${stopped[channel.stopped]} ${queued(queue?.events ?? 0)}.`,
    };
  if (queue?.failingSinceMs !== undefined)
    return {
      sinceMs: queue.failingSinceMs,
      text: `The callback has failed ${queue.failuresInRow} ${queue.failuresInRow === 1 ? 'time' : 'times'} in a row; ${queued(queue.events)}. It is retried for 24 hours.`,
    };
  const isAbsent = channel.kind !== 'callback' && queue?.held === false && queue.events > 0;
  if (!isAbsent || queue.oldestAtMs === undefined || queue.oldestAtMs > nowMs - absentAfterMs) return undefined;
  const missing = channel.kind === 'websocket' ? 'No application has its WebSocket open' : 'No application polls';
  return { sinceMs: queue.oldestAtMs, text: `${missing}; ${queued(queue.events)}. Events are kept for 24 hours.` };
};

/** Channels that do not deliver what they should. */
@Injectable()
export class FailingChannels {
  constructor(
    private readonly database: DataSource,
    private readonly registry: ChannelRegistry,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the order of key ids. Administrators see the channels of the account, others their own. */
  async list({ accountId, keyId, permissions }: Identity, query: ListQuery): Promise<ListEnvelope<AttentionItem>> {
    const { after, limit, order, includeTotal } = query;
    const where = { accountId, ...(!permissions.includes('admin') && { keyId }) };
    const failing: AttentionItem[] = [];
    let cursor = after;
    for (let inspected = 0; inspected < inspectedMax; inspected += inspectedAtOnce) {
      const channels = await this.page(where, cursor, order);
      failing.push(...(await this.failingOf(channels)));
      cursor = channels.at(-1)?.keyId ?? cursor;
      if (channels.length < inspectedAtOnce || (failing.length > limit && !includeTotal)) break;
    }
    return listEnvelope(failing, query, includeTotal ? failing.length : undefined);
  }

  private page(where: FindOptionsWhere<Channel>, cursor: string | null, order: 'ASC' | 'DESC'): Promise<Channel[]> {
    const behind = cursor === null ? {} : { keyId: order === 'ASC' ? MoreThan(cursor) : LessThan(cursor) };
    return this.database.getRepository(Channel).find({
      where: typeof where.keyId === 'string' ? where : { ...where, ...behind },
      order: { keyId: order },
      take: inspectedAtOnce,
    });
  }

  private async failingOf(channels: readonly Channel[]): Promise<AttentionItem[]> {
    const now = this.clock.now();
    const items = await Promise.all(
      channels.map(async (channel): Promise<AttentionItem[]> => {
        const failure = failureOf(channel, await this.registry.inspect(channel.keyId), now);
        if (!failure) return [];
        return [
          {
            object: 'attention-item',
            kind: 'failing-channels',
            id: channel.keyId,
            device_id: null,
            key_id: channel.keyId,
            since: formatTimestamp(failure.sinceMs),
            text: failure.text,
          },
        ];
      }),
    );
    return items.flat();
  }
}
