import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { CommonConfig } from '../config/common.js';
import { Health } from '../health/health.js';
import type { Logger } from '../telemetry/logger.js';
import { CONFIG, LOGGER } from '../tokens.js';
import type { RedisClient } from './redis-client.js';

export const REDIS = Symbol('Redis');

export interface RedisModuleOptions<C extends CommonConfig> {
  /** Opens the client with the options that suit the app: what is retried, and for how long. */
  open: (config: C, logger: Logger) => RedisClient | Promise<RedisClient>;
  /** Whether the app is not ready while Redis does not answer. */
  isReadinessCheck?: boolean;
}

const OPTIONS = Symbol('RedisModuleOptions');

/** The app's client of Redis, which REDIS injects. */
@Module({})
export class RedisModule implements OnApplicationShutdown {
  static forRoot<C extends CommonConfig>(options: RedisModuleOptions<C>): DynamicModule {
    return {
      module: RedisModule,
      global: true,
      providers: [
        { provide: REDIS, inject: [CONFIG, LOGGER], useFactory: options.open },
        { provide: OPTIONS, useValue: options },
      ],
      exports: [REDIS],
    };
  }

  constructor(
    @Inject(REDIS) private readonly redis: RedisClient,
    @Inject(OPTIONS) { isReadinessCheck }: RedisModuleOptions<CommonConfig>,
    @Inject(Health) health: Health,
  ) {
    if (isReadinessCheck) health.add('redis', async () => void (await redis.ping()));
  }

  onApplicationShutdown(): void {
    this.redis.disconnect();
  }
}
