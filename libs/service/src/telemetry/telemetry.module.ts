import { Global, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { CommonConfig } from '../config/common.js';
import { endsWithin } from '../ends-within.js';
import { CONFIG, LOGGER } from '../tokens.js';
import { Tracing } from './tracing.js';
import { createLogger, type Logger } from './logger.js';
import { Metrics } from './metrics.js';

/** How long the last traces may take. */
const sendsWithinMs = 1_000;

const createTracing = async (
  { app, replicaId, tracing }: CommonConfig,
  logger: Logger,
  metrics: Metrics,
): Promise<Tracing> => {
  if (!tracing) return new Tracing();
  const { endpoint, sampleRatio } = tracing;
  const { openTelemetry } = await import('./open-telemetry.js');
  return new Tracing(openTelemetry({ endpoint, service: app, replica: replicaId, logger, metrics }), sampleRatio);
};

/** Logger, metrics and traces. Traces that were collected are sent at the end of a stop. */
@Global()
@Module({
  providers: [
    {
      provide: LOGGER,
      inject: [CONFIG],
      useFactory: ({ app, replicaId, logLevel }: CommonConfig) => createLogger({ app, replicaId, level: logLevel }),
    },
    {
      provide: Metrics,
      inject: [CONFIG],
      useFactory: ({ app, replicaId }: CommonConfig) => new Metrics(app, replicaId).collectProcess(),
    },
    { provide: Tracing, inject: [CONFIG, LOGGER, Metrics], useFactory: createTracing },
  ],
  exports: [LOGGER, Metrics, Tracing],
})
export class TelemetryModule implements OnApplicationShutdown {
  constructor(@Inject(Tracing) private readonly tracing: Tracing) {}

  async onApplicationShutdown(): Promise<void> {
    await endsWithin(sendsWithinMs, this.tracing.stop());
  }
}
