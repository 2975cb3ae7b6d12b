import { randomBytes } from 'node:crypto';
import { awaiting, CLOCK, type Clock, CONFIG, ConfigError, Health, type Logger, LOGGER } from '@lanyard/service';
import { Inject, Module, type OnApplicationShutdown, type OnModuleInit, type Provider } from '@nestjs/common';
import type { DispatcherConfig } from '../config.js';
import { BodyBudget } from './body-budget.js';
import { ChannelQueue } from './channel-queue.js';
import { ChannelRegistry } from './channel-registry.js';
import { Keys } from './keys.js';
import { LocalClock } from './local-clock.js';
import { RecentChunks } from './recent-chunks.js';
import { RedisLink } from './redis-link.js';
import { RedisLinks } from './redis-links.js';
import { SharedClock } from './shared-clock.js';
import { INTAKE_LINK, OWNER } from './tokens.js';

const link = {
  inject: [CONFIG, LOGGER],
  useFactory: ({ secrets }: DispatcherConfig, logger: Logger) => RedisLink.open(secrets.redisUrl, logger),
};

const providers: Provider[] = [
  { provide: RedisLink, ...link },
  { provide: INTAKE_LINK, ...link },
  {
    provide: OWNER,
    inject: [CONFIG],
    useFactory: ({ replicaId }: DispatcherConfig) => `${replicaId}#${randomBytes(6).toString('hex')}`,
  },
  {
    provide: Keys,
    inject: [CONFIG],
    useFactory: ({ redisPrefix, queueShards }: DispatcherConfig) => new Keys(redisPrefix, queueShards),
  },
  {
    provide: SharedClock,
    inject: [CLOCK, RedisLink, Keys],
    useFactory: async (base: Clock, redis: RedisLink, keys: Keys) => {
      const clock = new SharedClock(base, redis, keys.shardCount);
      await clock.start();
      return clock;
    },
  },
  {
    provide: RecentChunks,
    inject: [CONFIG],
    useFactory: ({ recentBytesMax }: DispatcherConfig) => new RecentChunks(recentBytesMax),
  },
  RedisLinks,
  LocalClock,
  BodyBudget,
  ChannelRegistry,
  ChannelQueue,
];

/** The connections to Redis, its time, and the commands on queues. Refuses to start with another number of shards than before. */
@Module({ providers, exports: providers })
export class QueueModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    @Inject(CONFIG) private readonly config: DispatcherConfig,
    private readonly registry: ChannelRegistry,
    private readonly links: RedisLinks,
    private readonly clock: SharedClock,
    recent: RecentChunks,
    health: Health,
  ) {
    links.onLost(() => recent.forget());
    health.add('redis', () => links.check());
  }

  async onModuleInit(): Promise<void> {
    const { queueShards } = this.config;
    const stored = await awaiting('Redis: number of shards', this.registry.fixShardCount());
    if (stored !== queueShards)
      throw new ConfigError('DISPATCHER_QUEUE_SHARDS', `is ${queueShards}, but the queues in Redis have ${stored}`);
  }

  onApplicationShutdown(): void {
    this.clock.stop();
    this.links.close();
  }
}
