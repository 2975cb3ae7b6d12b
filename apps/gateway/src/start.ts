import {
  awaiting,
  ErrorFilter,
  type RunningService,
  type ServiceOverrides,
  type ServiceParts,
  serviceParts,
  startService,
  urlLengthMax,
} from '@lanyard/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AccountChanges } from './access/account-changes.js';
import { AccountUsages } from './access/account-usage.js';
import { Accounts } from './access/accounts.service.js';
import { AccessKeys } from './access/access-keys.service.js';
import { Applications } from './access/applications.service.js';
import { ApiKeys } from './access/api-keys.service.js';
import { firstStart } from './access/first-start.js';
import { KeySweeper } from './access/key-sweeper.js';
import { KeyGroups } from './access/key-groups.service.js';
import { AppModule } from './app.module.js';
import { Backoff } from './authentication/backoff.js';
import { KeyAuthenticator } from './authentication/key-authenticator.js';
import { keyReader, KnownKeys } from './authentication/known-keys.js';
import { LastLogins } from './authentication/last-logins.js';
import { noteDenied } from './proxy/note-denied.js';
import { Refusals } from './authentication/refusals.js';
import type { GatewayConfig } from './config.js';
import { ConnectionLimits } from './proxy/connection-limits.js';
import { reverseProxy } from './proxy/reverse-proxy.js';
import { IdentityTokens } from './proxy/identity-tokens.js';
import { OpenCalls } from './proxy/open-calls.js';
import { Replicas } from './proxy/replicas.js';
import { takesLargeBodies } from './proxy/routes.js';
import { type Upstream, upstreams } from './upstreams.js';
import { Upgrades } from './proxy/upgrade.js';
import { type Infrastructure, openInfrastructure } from './infrastructure.js';
import { UrlTooLong } from './errors.js';
import { Explanations } from './explain/explanations.js';
import { UpstreamClient } from './explain/upstream-client.js';
import { KeyLimiter } from './limits/key-limiter.js';
import { LocalRates } from './limits/local-rates.js';
import { SharedRates } from './limits/shared-rates.js';
import { setContentPolicy } from './openapi/content-policy.js';
import { Documents } from './openapi/documents.js';
import { ownDocument, serveDocuments } from './openapi/serve.js';

const allowBrowsers = (app: NestFastifyApplication, origin: string[]): void => {
  if (origin.length === 0) return;
  app.enableCors({
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    exposedHeaders: ['x-request-id', 'retry-after', 'idempotency-replayed'],
    maxAge: 600,
    strictPreflight: false,
  });
};

const refuseLongUrls = (app: NestFastifyApplication): void => {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRequest', (request, _reply, done) => {
      done(request.originalUrl.length > urlLengthMax ? new UrlTooLong() : undefined);
    });
};

const authenticatorOf = (
  config: GatewayConfig,
  infrastructure: Infrastructure,
  known: KnownKeys,
  logins: LastLogins,
  refusals: Refusals,
  parts: ServiceParts,
): KeyAuthenticator => {
  const { clock, metrics } = parts;
  const { keyRate, accountRate } = config;
  const shared = new SharedRates(infrastructure.redis, config.redisPrefix);
  return new KeyAuthenticator({
    known,
    limiter: new KeyLimiter({ shared, keyRate, accountRate, clock, metrics }),
    attempts: new LocalRates(config.attemptRate, clock),
    backoff: new Backoff(clock),
    logins,
    refusals,
    clock,
    trustedProxies: config.trustedProxies,
  });
};

const replicasOf = (config: GatewayConfig, parts: ServiceParts): Record<Upstream, Replicas> =>
  Object.fromEntries(
    upstreams.map((upstream) => [upstream, new Replicas(upstream, config.replicas[upstream], parts.clock)]),
  ) as Record<Upstream, Replicas>;

const startOn = async (
  infrastructure: Infrastructure,
  config: GatewayConfig,
  base: ServiceParts,
): Promise<RunningService> => {
  const { clock, health, logger, metrics } = base;
  const { database, outbox } = infrastructure;
  const changes = new AccountChanges(database, outbox, clock);
  if (await awaiting('PostgreSQL: the first account', firstStart(database, changes, config.firstStart, clock)))
    logger.info({ file: config.firstStart.keyFile }, 'first start: the administrator key is in the file');
  const known = new KnownKeys(keyReader(database), clock);
  const logins = new LastLogins(database, clock, logger);
  const refusals = new Refusals(database, outbox, clock, logger, metrics);
  const sweeper = new KeySweeper(database, changes, clock, logger);
  const authenticator = authenticatorOf(config, infrastructure, known, logins, refusals, base);
  const replicas = replicasOf(config, base);
  const openCalls = new OpenCalls(clock);
  const tokens = new IdentityTokens(config.secrets.identityKey, clock);
  const { trustedProxies } = config;
  const connections = new ConnectionLimits(config.connections, trustedProxies, metrics);
  const upgrades = new Upgrades({
    connections,
    authenticator,
    replicas: replicas.dispatcher,
    openCalls,
    trustedProxies,
    logger,
    metrics,
  });
  const usages = new AccountUsages({
    database,
    registry: replicas.registry,
    tokens,
    requestsPerSecond: config.accountRate.perSecond,
    clock,
    metrics,
  });
  health.add('postgresql', async () => void (await database.query('SELECT 1')));
  return startService(
    config,
    {
      title: 'Access',
      traceDecision: config.trustTraceParent ? 'client' : 'ratio',
      http: { isUpload: ({ method, url }) => takesLargeBodies(method, url.split('?', 1)[0] as string) },
      module: AppModule.of({
        accounts: new Accounts(database, changes, known, clock),
        usages,
        apiKeys: new ApiKeys(database, changes, known, clock),
        keyGroups: new KeyGroups(database, changes, known, clock),
        explanations: new Explanations(new UpstreamClient({ replicas, tokens, metrics })),
        applications: new Applications(database, changes, known, clock),
        accessKeys: new AccessKeys(database, changes, known, clock),
      }),
      beforeListen: async (app) => {
        refuseLongUrls(app);
        noteDenied(app, refusals, trustedProxies);
        allowBrowsers(app, config.corsOrigins);
        setContentPolicy(app, config.publicUrl);
        const own = ownDocument(app, config.publicUrl);
        serveDocuments(app, own, new Documents(own, Object.values(replicas), clock, metrics));
        const errors = new ErrorFilter(logger);
        await app.register(
          reverseProxy({ authenticator, replicas, openCalls, tokens, trustedProxies, errors, metrics }),
        );
        connections.attach(app.getHttpServer());
        upgrades.attach(app.getHttpServer());
      },
      afterListen: () => {
        logins.start();
        refusals.start();
        sweeper.start();
      },
      // What is left after the bound is cut.
      beforeStop: () => {
        upgrades.stop();
        return openCalls.drain(config.drainTimeoutMs);
      },
      afterStop: async () => {
        await Promise.all(Object.values(replicas).map((r) => r.close()));
        await sweeper.stop();
        await logins.stop();
        await refusals.stop();
        await infrastructure.close();
      },
    },
    { ...base, authenticator },
  );
};

/** Starts the gateway; makes the first account when there is none. Rejects when PostgreSQL or Kafka is away. */
export const start = async (config: GatewayConfig, overrides: ServiceOverrides = {}): Promise<RunningService> => {
  const base = serviceParts(config, overrides);
  const infrastructure = await openInfrastructure(config, base);
  try {
    return await startOn(infrastructure, config, base);
  } catch (error) {
    await infrastructure.close();
    throw error;
  }
};
