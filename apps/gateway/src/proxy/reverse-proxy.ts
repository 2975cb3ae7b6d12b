import { ErrorFilter, Metrics, otherMethods } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoSuchPath } from '../errors.js';
import { pathOf, type ProxiedRequest, ProxyHandler } from './proxy-handler.js';
import { discardBody, uploadBytesMax } from './request-body.js';
import { downloadsPath, routeOf } from './routes.js';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const answerOptions = async (request: ProxiedRequest, reply: FastifyReply): Promise<unknown> => {
  const route = routeOf(pathOf(request.url));
  const allowed = route ? methods : otherMethods(request);
  if (allowed.length === 0) throw new NoSuchPath();
  if (route) request.upstream = route.upstream;
  return reply
    .code(204)
    .header('allow', [...allowed, 'OPTIONS'].join(', '))
    .send();
};

/** Serves all paths below /v2 and /v3 that are not the gateway's own. Bodies are not parsed but streamed. */
@Injectable()
export class ReverseProxy {
  private readonly seconds;

  constructor(
    private readonly handler: ProxyHandler,
    private readonly errors: ErrorFilter,
    metrics: Metrics,
  ) {
    this.seconds = metrics.histogram({
      name: 'lanyard_gateway_forward_seconds',
      help: 'Duration of forwarded requests',
      labelNames: ['upstream', 'method', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 35],
    });
  }

  /** A Fastify plugin, as it has a body parser and an error handler of its own. */
  readonly plugin = async (fastify: FastifyInstance): Promise<void> => {
    fastify.removeAllContentTypeParsers();
    fastify.decorateRequest('upstream', undefined);
    fastify.decorateRequest('identity', undefined);
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
    fastify.setErrorHandler((error, request, reply) => this.answerError(error, request, reply));
    fastify.addHook('onResponse', (request, reply, done) => {
      this.measure(request, reply);
      done();
    });
    const handler = (request: FastifyRequest, reply: FastifyReply): Promise<unknown> =>
      this.handler.handle(request, reply);
    fastify.get(downloadsPath, (request, reply) => this.handler.handleDownload(request, reply));
    for (const url of ['/v2/*', '/v3/*']) {
      fastify.route({ method: methods, url, handler, config: { passesOn: true } });
      fastify.options(url, { config: { passesOn: true } }, answerOptions);
    }
  };

  private answerError(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
    if (reply.raw.destroyed) return reply.hijack();
    if (!request.raw.complete) discardBody(request.raw, uploadBytesMax);
    return this.errors.answer(error, request, reply);
  }

  private measure({ upstream, method }: ProxiedRequest, reply: FastifyReply): void {
    const labels = { upstream: upstream ?? 'none', method, status: String(reply.statusCode) };
    this.seconds.observe(labels, reply.elapsedTime / 1_000);
  }
}
