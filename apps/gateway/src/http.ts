import { CONFIG, urlLengthMax } from '@lanyard/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyInstance } from 'fastify';
import { Refusals } from './authentication/refusals.js';
import type { GatewayConfig } from './config.js';
import { serveConsole } from './console/serve-console.js';
import { UrlTooLong } from './errors.js';
import { setContentPolicy } from './openapi/content-policy.js';
import { Documents } from './openapi/documents.js';
import { ownDocument, serveDocuments } from './openapi/serve.js';
import { boundUnreadResponses } from './proxy/bound-responses.js';
import { ConnectionLimits } from './proxy/connection-limits.js';
import { OpenCalls } from './proxy/open-calls.js';
import { keepReserveForProbes } from './proxy/probes.js';
import { closeWithConnection } from './proxy/queued-responses.js';
import { recordDeniedRequests } from './proxy/record-denied-requests.js';
import { ReverseProxy } from './proxy/reverse-proxy.js';
import { UnreadResponses } from './proxy/unread-responses.js';

const allowBrowsers = (app: NestFastifyApplication, origin: string[]): void => {
  if (origin.length === 0) return;
  app.enableCors({
    origin,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
    // `link`: a page that polls finds there how to confirm what has arrived.
    exposedHeaders: ['x-request-id', 'retry-after', 'etag', 'idempotency-replayed', 'link'],
    maxAge: 600,
    strictPreflight: false,
  });
};

/** A stop waits for the answers of the gateway itself, too: one may show a new key. */
const trackCalls = (fastify: FastifyInstance, openCalls: OpenCalls): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    closeWithConnection(request.raw, reply.raw);
    const isStopping = openCalls.track(reply.raw);
    if (isStopping) reply.header('connection', 'close');
    done();
  });
};

const refuseLongUrls = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, _reply, done) => {
    done(request.originalUrl.length > urlLengthMax ? new UrlTooLong() : undefined);
  });
};

/**
 * Settings for all paths. Hooks run in the order in which they are added, and the reverse proxy, a Fastify plugin, gets only the
 * hooks that were added before it: so it is added last.
 */
export const configureHttp = async (app: NestFastifyApplication): Promise<void> => {
  const { trustedProxies, corsOrigins, publicUrl, consoleDir } = app.get<GatewayConfig>(CONFIG);
  const fastify = app.getHttpAdapter().getInstance();
  keepReserveForProbes(fastify, app.get(ConnectionLimits));
  trackCalls(fastify, app.get(OpenCalls));
  // Before the hooks that refuse requests: without the headers of CORS, a page of another origin cannot read a refusal.
  allowBrowsers(app, corsOrigins);
  refuseLongUrls(fastify);
  recordDeniedRequests(fastify, app.get(Refusals), trustedProxies);
  boundUnreadResponses(fastify, app.get(UnreadResponses), trustedProxies);
  setContentPolicy(fastify, publicUrl);
  serveDocuments(app, ownDocument(app, publicUrl), app.get(Documents));
  await serveConsole(app, consoleDir);
  await app.register(app.get(ReverseProxy).plugin);
};
