import { CLOCK, type Clock, type Identity, type ListQuery } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type FindOptionsWhere, LessThan, MoreThan } from 'typeorm';
import { SealedTargets } from '../callback-client/sealed-targets.js';
import { Channel } from '../db/channel.entity.js';
import { ChannelNotFound } from '../errors.js';
import { ChannelRegistry, type QueueState } from '../queue/channel-registry.js';
import { failureOf, lossAtMs } from './channel-failure.js';

type Viewer = Pick<Identity, 'accountId' | 'keyId' | 'permissions'>;

/** A channel with the state of its queue. */
export interface Inspected {
  channel: Channel;
  /** Scheme, host and port of a callback: the rest of its URL may hold credentials. null also when it cannot be read. */
  receiver: string | null;
  /** undefined when Redis does not have the channel (yet). */
  queue: QueueState | undefined;
  failure: ReturnType<typeof failureOf>;
  lossAtMs: number | undefined;
}

/** Administrators see the channels of all keys of the account, others that of their own key. */
@Injectable()
export class AccountChannels {
  constructor(
    private readonly database: DataSource,
    private readonly registry: ChannelRegistry,
    private readonly targets: SealedTargets,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the order of key ids. */
  async page(viewer: Viewer, query: Pick<ListQuery, 'after' | 'order' | 'limit'>): Promise<Inspected[]> {
    const { after, order, limit } = query;
    const behind = after === null ? {} : { keyId: order === 'ASC' ? MoreThan(after) : LessThan(after) };
    const own = this.visibleTo(viewer);
    const channels = await this.database.getRepository(Channel).find({
      // `own` and `behind` may both be conditions on keyId: for a viewer of one key, `isBehind` checks the position.
      where: own.keyId === undefined ? { ...own, ...behind } : own,
      order: { keyId: order },
      take: limit,
    });
    const isBehind = ({ keyId }: Channel) => after === null || (order === 'ASC' ? keyId > after : keyId < after);
    return Promise.all(channels.filter(isBehind).map((channel) => this.inspect(channel)));
  }

  count(viewer: Viewer): Promise<number> {
    return this.database.getRepository(Channel).countBy(this.visibleTo(viewer));
  }

  /** Throws ChannelNotFound, also for a channel that the viewer does not see. */
  async get(viewer: Viewer, keyId: string): Promise<Inspected> {
    const channel = await this.database.getRepository(Channel).findOneBy({ keyId, accountId: viewer.accountId });
    if (!channel || (!viewer.permissions.includes('admin') && keyId !== viewer.keyId)) throw new ChannelNotFound();
    return this.inspect(channel);
  }

  private visibleTo({ accountId, keyId, permissions }: Viewer): FindOptionsWhere<Channel> {
    return { accountId, ...(!permissions.includes('admin') && { keyId }) };
  }

  private async inspect(channel: Channel): Promise<Inspected> {
    const now = this.clock.now();
    const queue = await this.registry.inspect(channel.keyId);
    const failure = failureOf(channel, queue, now);
    const target = this.targets.readableTargetOf(channel);
    return {
      channel,
      receiver: target ? new URL(target.url).origin : null,
      queue,
      failure,
      lossAtMs: failure && lossAtMs(queue, now, channel.stoppedAt),
    };
  }
}
