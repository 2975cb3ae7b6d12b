import { type DynamicModule, Module, type Provider, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Clock, systemClock } from '../clock.js';
import type { CommonConfig } from '../config/common.js';
import { ErrorFilter } from '../http/error-filter.js';
import { createFastify, type HttpOptions } from '../http/fastify.js';
import { logRequests } from '../http/request-log.js';
import { UnreadBody } from '../http/unread-body.js';
import { validationPipe } from '../http/validation.js';
import { type Authenticator, TokenAuthenticator } from '../identity/guard.js';
import { serveOpenApi } from '../openapi/document.js';
import { Health } from '../health/health.js';
import { createLogger, type Logger, NestLogger } from '../telemetry/logger.js';
import { Metrics } from '../telemetry/metrics.js';
import { type TraceDecision, traceRequests } from '../telemetry/http-spans.js';
import { Tracing } from '../telemetry/tracing.js';
import type { RunningService } from './bootstrap.js';
import { ServiceModule, type ServiceParts } from './service.module.js';
import { defaultStopTimeoutMs } from '../config/common.js';
import { runStopSteps } from './stop-steps.js';

/** What an app hands over: its module and what to start and stop around the HTTP server, in order. */
export interface ServiceDefinition {
  title: string;
  /** The app's module; ServiceModule is imported globally beside it. */
  module: DynamicModule | Type<unknown>;
  http?: HttpOptions;
  /** Which side decides on the sampling of requests; default: the caller. */
  traceDecision?: TraceDecision;
  /** Kafka consumers: start when everything else runs, stop first. */
  strategies?: CustomTransportStrategy[];
  /** Runs once the container is built and before the port opens, for example sockets on the raw server. */
  beforeListen?: (app: NestFastifyApplication) => Promise<void> | void;
  /** Runs when the port is open, before the service counts as ready. */
  afterListen?: (app: NestFastifyApplication) => Promise<void> | void;
  /** First thing at a stop, while HTTP still answers: stop intake, close sockets. */
  beforeStop?: () => Promise<void> | void;
  /** Last thing at a stop: producers, database, Redis. */
  afterStop?: () => Promise<void> | void;
}

export interface StartedService extends RunningService {
  parts: ServiceParts;
}

export interface ServiceOverrides {
  clock?: Clock;
  logger?: Logger;
  authenticator?: Authenticator;
}

/** Made before the app's own parts, which need them. */
export const serviceParts = (config: CommonConfig, overrides: ServiceOverrides = {}): ServiceParts => {
  const { app, replicaId } = config;
  const clock = overrides.clock ?? systemClock;
  const logger = overrides.logger ?? createLogger({ app, replicaId, level: config.logLevel });
  const metrics = new Metrics(app, replicaId).collectProcess();
  return {
    clock,
    logger,
    metrics,
    health: new Health(),
    tracing: new Tracing({ ...config.tracing, service: app, replica: replicaId, logger, metrics }),
    authenticator: overrides.authenticator ?? new TokenAuthenticator(app, config.secrets.identityKeys ?? [], clock),
  };
};

const rootModule = (definition: ServiceDefinition, parts: ServiceParts): DynamicModule => {
  @Module({})
  class RootModule {}
  return { module: RootModule, imports: [ServiceModule.of(parts), definition.module], providers: [] as Provider[] };
};

const createApp = async (definition: ServiceDefinition, parts: ServiceParts): Promise<NestFastifyApplication> => {
  const app = await NestFactory.create<NestFastifyApplication>(
    rootModule(definition, parts),
    createFastify(definition.http, parts.clock),
    {
      logger: new NestLogger(parts.logger),
      abortOnError: false,
      // Nest's own parsers go by the content type, which clients leave out or get wrong.
      bodyParser: false,
    },
  );
  app.useGlobalFilters(new ErrorFilter(parts.logger));
  app.useGlobalPipes(validationPipe());
  app.useGlobalInterceptors(new UnreadBody());
  for (const strategy of definition.strategies ?? [])
    app.connectMicroservice({ strategy }, { inheritAppConfig: false });
  return app;
};

/**
 * Starts a service: container, HTTP port, then Kafka consumers. `stop` goes the other way round: not ready, intake,
 * HTTP, connections, within STOP_TIMEOUT_MS whatever is down. Rejects when anything needed at start is unavailable.
 */
export const startService = async (
  config: CommonConfig,
  definition: ServiceDefinition,
  parts: ServiceParts,
): Promise<StartedService> => {
  const app = await createApp(definition, parts);
  logRequests(app.getHttpAdapter().getInstance(), parts.logger);
  traceRequests(app.getHttpAdapter().getInstance(), parts.tracing, definition.traceDecision ?? 'caller');
  serveOpenApi(app, definition.title);
  let started = false;
  parts.health.add('start', () => {
    if (!started) throw new Error('starting');
  });
  await definition.beforeListen?.(app);
  await app.listen(config.http.port, config.http.host);
  if (definition.strategies?.length) await app.startAllMicroservices();
  await definition.afterListen?.(app);
  started = true;
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  parts.logger.info({ url }, 'ready');
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    parts.health.stop();
    const steps = [
      { name: 'intake', run: () => definition.beforeStop?.() },
      { name: 'http', run: () => app.close() },
      { name: 'engines', run: () => definition.afterStop?.() },
      { name: 'traces', run: () => parts.tracing.stop() },
    ];
    await runStopSteps(steps, config.stopTimeoutMs ?? defaultStopTimeoutMs, parts.logger);
    parts.logger.info('stopped');
  };
  return { url, app, parts, stop: () => (stopping ??= stop()) };
};
