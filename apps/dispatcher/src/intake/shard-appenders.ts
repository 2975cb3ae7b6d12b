import type { Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { ReadyLoop } from '../delivery/ready-loop.js';
import type { ChannelClaimer } from '../queue/append-outcome.js';
import { Keys } from '../queue/keys.js';
import { RecentChunks } from '../queue/recent-chunks.js';
import type { RedisLink } from '../queue/redis-link.js';
import { SharedClock } from '../queue/shared-clock.js';
import { INTAKE_LINK, OWNER } from '../queue/tokens.js';
import { ShardAppender } from './shard-appender.js';

/** One appender for each shard, in their order. */
@Injectable()
export class ShardAppenders {
  readonly all: readonly ShardAppender[];

  constructor(
    @Inject(INTAKE_LINK) link: RedisLink,
    keys: Keys,
    @Inject(SharedClock) clock: Clock,
    @Inject(OWNER) owner: string,
    recent: RecentChunks,
    @Inject(ReadyLoop) claimer: ChannelClaimer | undefined,
  ) {
    this.all = keys.shards.map((shard) => new ShardAppender(shard, { link, clock, owner, recent, claimer }));
  }
}
