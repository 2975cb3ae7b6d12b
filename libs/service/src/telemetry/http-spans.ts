import type { FastifyInstance, FastifyRequest } from 'fastify';
import { withoutSecrets } from './logger.js';
import type { Span, Tracing } from './tracing.js';

const spanOf = Symbol('Span');

type Traced = FastifyRequest & { [spanOf]?: Span };

export const traceParentHeader = 'traceparent';

/**
 * Whether a URL belongs to the API. Other requests are not traced: probes and scrapes are frequent, and are not part of
 * a trace.
 */
export const isApi = (url: string): boolean => /^\/(v\d|explain)\//.test(url);

/** By the path, with `:id` for each id, and without a key that was put into it by mistake. */
const spanNameOf = ({ method, url }: FastifyRequest): string =>
  `${method} ${withoutSecrets(url.split('?', 1)[0] ?? '').replace(/[0-9a-f]{32}/g, ':id')}`;

/** The `traceparent` that names the span of a request; undefined if the request is not traced. */
export const traceParentOf = (request: FastifyRequest): string | undefined => (request as Traced)[spanOf]?.traceParent;

/**
 * The side that decides on sampling. `caller`: another service, whose decision is followed. `client`: a client that
 * is trusted; requests that it leaves undecided are sampled here. `ratio`: only the ratio, whatever a client sends.
 */
export type TraceDecision = 'caller' | 'client' | 'ratio';

/**
 * A span for each request that is traced. The header then names the request's own span as the parent, for
 * the upstream; where clients do not decide on sampling, their `traceparent` is not forwarded.
 */
export const traceRequests = (fastify: FastifyInstance, tracing: Tracing, decision: TraceDecision): void => {
  if (!tracing.isOn && decision !== 'ratio') return;
  const begin = (request: Traced): void => {
    // Those that the gateway passes on; `request.headers` may be a copy.
    const { headers } = request.raw;
    const header = headers[traceParentHeader];
    const given = typeof header === 'string' ? header : undefined;
    if (decision === 'ratio') {
      delete headers[traceParentHeader];
      delete headers['tracestate'];
    }
    if (!tracing.isOn || !isApi(request.url)) return;
    const name = spanNameOf(request);
    const options = {
      kind: 'server' as const,
      attributes: { 'http.request.method': request.method, 'lanyard.request_id': request.id },
    };
    const span =
      decision === 'ratio'
        ? tracing.adopt(given, name, options)
        : (tracing.follow(given, name, options) ?? (decision === 'client' ? tracing.root(name, options) : undefined));
    if (!span) return;
    request[spanOf] = span;
    headers[traceParentHeader] = span.traceParent;
  };
  fastify.addHook('onRequest', (request, _reply, done) => {
    begin(request);
    done();
  });
  if (!tracing.isOn) return;
  fastify.addHook('onResponse', (request: Traced, reply, done) => {
    request[spanOf]?.end(reply.statusCode >= 500 ? `status ${reply.statusCode}` : undefined);
    done();
  });
};
