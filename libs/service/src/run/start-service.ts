import { type DynamicModule, Module, type NestApplicationOptions, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { CustomTransportStrategy } from '@nestjs/microservices';
import type { FastifyAdapter, NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Clock } from '../clock.js';
import { type CommonConfig, defaultStopTimeoutMs } from '../config/common.js';
import { Health } from '../health/health.js';
import { ErrorFilter } from '../http/error-filter.js';
import { createFastify, type HttpOptions } from '../http/fastify.js';
import { logRequests } from '../http/request-log.js';
import { UnreadBody } from '../http/unread-body.js';
import { validationPipe } from '../http/validation.js';
import { GuardModule } from '../identity/identity.module.js';
import { endsWithin } from '../ends-within.js';
import { StopDeadline } from '../lifecycle/stop-deadline.js';
import { serveOpenApi } from '../openapi/document.js';
import { type Logger, NestLogger } from '../telemetry/logger.js';
import { CLOCK, LOGGER } from '../tokens.js';
import { type TraceDecision, traceRequests } from '../telemetry/http-spans.js';
import { Tracing } from '../telemetry/tracing.js';
import { platformModules } from './platform-modules.js';

/** What `startService` starts. Everything else is in the modules of the app. */
export interface ServiceDefinition<C extends CommonConfig = CommonConfig> {
  /** Title of the OpenAPI document. */
  title: string;
  module: Type<unknown>;
  http?: HttpOptions;
  /** Decides which requests are traced. Default: the service that calls. */
  traceDecision?: (config: C) => TraceDecision;
  /** Kafka consumers, by their class: they start when everything else runs. */
  strategies?: readonly Type<CustomTransportStrategy>[];
  /** Called before routes are registered, for what no module can do: CORS, Fastify plugins. */
  configure?: (app: NestFastifyApplication) => Promise<void> | void;
}

/** Makes the application: `NestFactory.create`, or in tests one with other providers. */
export type CreateApp = (
  module: DynamicModule,
  adapter: FastifyAdapter,
  options: NestApplicationOptions,
) => Promise<NestFastifyApplication>;

export interface RunningService {
  /** Base URL on the address it listens on. */
  url: string;
  app: NestFastifyApplication;
  stop(): Promise<void>;
}

const rootModule = (module: Type<unknown>, config: CommonConfig): DynamicModule => {
  @Module({})
  class RootModule {}
  return { module: RootModule, imports: [...platformModules(config), GuardModule, module] };
};

const createApp = async <C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  config: C,
  create: CreateApp,
): Promise<NestFastifyApplication> => {
  const app: NestFastifyApplication = await create(
    rootModule(definition.module, config),
    createFastify(definition.http, () => app.get<Clock>(CLOCK)),
    // Without Nest's own parsers: they go by the content type, which clients leave out or get wrong.
    { bufferLogs: true, abortOnError: false, bodyParser: false },
  );
  const log = app.get<Logger>(LOGGER);
  app.useLogger(new NestLogger(log));
  app.useGlobalFilters(new ErrorFilter(log));
  app.useGlobalPipes(validationPipe());
  // Runs after the IdentityGuard, which is a provider.
  app.useGlobalGuards(new UnreadBody());
  logRequests(app.getHttpAdapter().getInstance(), log);
  traceRequests(app.getHttpAdapter().getInstance(), app.get(Tracing), definition.traceDecision?.(config) ?? 'caller');
  serveOpenApi(app, definition.title);
  for (const strategy of definition.strategies ?? [])
    app.connectMicroservice({ strategy: app.get(strategy, { strict: false }) }, { inheritAppConfig: false });
  return app;
};

/**
 * Reports not ready, then runs Nest's hooks: intake and sockets, HTTP, connections. Ends within STOP_TIMEOUT_MS even if Kafka,
 * PostgreSQL or Redis is down.
 */
const stopApp = async (app: NestFastifyApplication, config: CommonConfig): Promise<void> => {
  const logger = app.get<Logger>(LOGGER);
  const timeoutMs = config.stopTimeoutMs ?? defaultStopTimeoutMs;
  app.get(Health).stop();
  app.get(StopDeadline).begin(timeoutMs);
  if (await endsWithin(timeoutMs, app.close())) logger.info('stopped');
  else logger.error({ timeoutMs }, 'stop: not everything ended in time');
};

/**
 * Starts a service: modules and their hooks, HTTP port, then Kafka consumers. Rejects, with everything closed again, when
 * anything that is needed at start is not there.
 */
export const startService = async <C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  config: C,
  create: CreateApp = (...args) => NestFactory.create<NestFastifyApplication>(...args),
): Promise<RunningService> => {
  const app = await createApp(definition, config, create);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= stopApp(app, config));
  try {
    let started = false;
    app.get(Health).add('start', () => {
      if (!started) throw new Error('starting');
    });
    await definition.configure?.(app);
    await app.listen(config.http.port, config.http.host);
    await app.startAllMicroservices();
    started = true;
  } catch (error) {
    await stop();
    throw error;
  }
  const url = (await app.getUrl()).replace('[::1]', 'localhost');
  app.get<Logger>(LOGGER).info({ url }, 'ready');
  return { url, app, stop };
};
