import { type DynamicModule, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { CommonConfig } from '../config/common.js';
import { StopDeadline } from '../lifecycle/stop-deadline.js';
import { CONFIG, LOGGER } from '../tokens.js';
import { Tracing } from '../tracing/tracing.js';
import { createLogger, type Logger } from './logger.js';
import { Metrics } from './metrics.js';

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
        StopDeadline,
      ],
      exports: [LOGGER, Metrics, Tracing, StopDeadline],
    };
  }

  constructor(
    @Inject(Tracing) private readonly tracing: Tracing,
    @Inject(StopDeadline) private readonly deadline: StopDeadline,
  ) {}

  async onApplicationShutdown(): Promise<void> {
    await this.deadline.step('traces', () => this.tracing.stop());
  }
}
