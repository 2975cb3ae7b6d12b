import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Span, Tracing } from './tracing.js';

const spanOf = Symbol('Span');

type Traced = FastifyRequest & { [spanOf]?: Span };

export const traceParentHeader = 'traceparent';

/** Probes and metrics are asked for all the time, and are no part of anything. */
const isApi = (url: string): boolean => /^\/(v\d|explain)\//.test(url);

/** The span of a request, when it is traced. */
export const traceParentOf = (request: FastifyRequest): string | undefined => (request as Traced)[spanOf]?.traceParent;

/**
 * A span for each request that belongs to a trace; `begins`: and for some of the others. The header says from then on
 * that the request's own span is the parent, for whoever it is forwarded to.
 */
export const traceRequests = (fastify: FastifyInstance, tracing: Tracing, begins: boolean): void => {
  if (!tracing.isOn) return;
  fastify.addHook('onRequest', async (request: Traced) => {
    if (!isApi(request.url)) return;
    const name = `${request.method} ${(request.url.split('?', 1)[0] ?? '').replace(/[0-9a-f]{32}/g, ':id')}`;
    const options = {
      kind: 'server' as const,
      attributes: { 'http.request.method': request.method, 'lanyard.request_id': request.id },
    };
    const given = request.headers[traceParentHeader];
    const span =
      tracing.follow(typeof given === 'string' ? given : undefined, name, options) ??
      (begins ? tracing.root(name, options) : undefined);
    if (!span) return;
    request[spanOf] = span;
    request.headers[traceParentHeader] = span.traceParent;
  });
  fastify.addHook('onResponse', async (request: Traced, reply) => {
    request[spanOf]?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
  });
};
