import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { CommonConfig } from '../config/common.js';
import { endsWithin } from '../ends-within.js';
import { CONFIG, LOGGER } from '../tokens.js';
import { Tracing } from './tracing.js';
import { createLogger, type Logger } from './logger.js';
import { Metrics } from './metrics.js';

/** How long the last traces may take. */
const sendsWithinMs = 1_000;

/** Logger, metrics and traces. Traces that were collected are sent at the end of a stop. */
@Module({})
export class TelemetryModule implements OnApplicationShutdown {
  /** `logger`: instead of the one that the configuration describes. */
  static forRoot(logger?: Logger): DynamicModule {
    return {
      module: TelemetryModule,
      global: true,
      providers: [
        {
          provide: LOGGER,
          inject: [CONFIG],
          useFactory: ({ app, replicaId, logLevel }: CommonConfig) =>
            logger ?? createLogger({ app, replicaId, level: logLevel }),
        },
        {
          provide: Metrics,
          inject: [CONFIG],
          useFactory: ({ app, replicaId }: CommonConfig) => new Metrics(app, replicaId).collectProcess(),
        },
        {
          provide: Tracing,
          inject: [CONFIG, LOGGER, Metrics],
          useFactory: ({ app, replicaId, tracing }: CommonConfig, log: Logger, metrics: Metrics) =>
            new Tracing({ ...tracing, service: app, replica: replicaId, logger: log, metrics }),
        },
      ],
      exports: [LOGGER, Metrics, Tracing],
    };
  }

  constructor(@Inject(Tracing) private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await endsWithin(sendsWithinMs, this.tracing.stop());
  }
}
