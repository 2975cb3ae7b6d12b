import type { OutgoingHttpHeaders } from 'node:http';
import {
  AccessDenied,
  type Authenticator,
  bodyLimitBytes,
  type ErrorFilter,
  type Identity,
  isWrongMethod,
  lacks,
  MethodNotAllowed,
  type Metrics,
  otherMethods,
} from '@lanyard/service';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../authentication/client-address.js';
import { allows } from '../permissions.js';
import { NoSuchPath } from '../errors.js';
import type { Upstream } from '../upstreams.js';
import type { Answer } from './answer.js';
import { ClientDisconnect } from './client-disconnect.js';
import { pass } from './forward.js';
import type { IdentityTokens } from './identity-tokens.js';
import { requestHeaders, responseHeaders } from './headers.js';
import type { OpenCalls } from './open-calls.js';
import type { Replicas } from './replicas.js';
import { importBytesMax, requestBody } from './request-body.js';
import { permissionFor, routeOf, takesLargeBodies } from './routes.js';

export interface ReverseProxyParts {
  authenticator: Authenticator;
  replicas: Record<Upstream, Replicas>;
  openCalls: OpenCalls;
  tokens: IdentityTokens;
  trustedProxies: number;
  errors: ErrorFilter;
  metrics: Metrics;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];

const pathOf = (url: string): string => url.split('?', 1)[0] as string;

/** Larger ones are not copied for the sake of one write. */
const joinedBytesMax = 16_384;

/** An answer that is all here. A short one goes out in one piece with its head: Node joins text of one byte a character. */
const answerAtOnce = (reply: FastifyReply, { statusCode, headers }: Answer, body: Buffer | undefined): FastifyReply => {
  const all = Object.assign(reply.getHeaders(), responseHeaders(headers)) as OutgoingHttpHeaders;
  reply.hijack().raw.writeHead(statusCode, all);
  if (body && body.length <= joinedBytesMax) reply.raw.end(body.toString('latin1'), 'latin1');
  else reply.raw.end(body);
  return reply;
};

type ProxiedRequest = FastifyRequest & {
  /** The upstream that serves the path. */
  upstream?: Upstream;
  identity?: Identity;
};

/** Finds the upstream, authenticates and authorises the caller, then forwards the request and relays the response. */
const handle = async (parts: ReverseProxyParts, request: ProxiedRequest, reply: FastifyReply): Promise<unknown> => {
  const path = pathOf(request.url);
  const route = routeOf(path);
  if (!route) throw isWrongMethod(request) ? new MethodNotAllowed() : new NoSuchPath();
  request.upstream = route.upstream;
  const signal = new ClientDisconnect(reply.raw);
  const identity = await parts.authenticator.authenticate(request);
  request.identity = identity;
  const needed = permissionFor(route, request.method);
  if (!allows(identity.permissions, needed)) throw new AccessDenied(lacks(needed));
  const bytesMax = takesLargeBodies(request.method, path) ? importBytesMax : bodyLimitBytes;
  const body = await requestBody(request.raw, bytesMax);
  const token = parts.tokens.of(identity, route.upstream);
  const from = { requestId: request.id, address: clientAddress(request.raw, parts.trustedProxies) };
  const headers = requestHeaders(request.headers, token, from);
  const call = { method: request.method, path: request.url, headers, body, signal };
  const answer = await pass(parts.replicas[route.upstream], call, parts.metrics);
  if (answer.body === undefined || Buffer.isBuffer(answer.body)) return answerAtOnce(reply, answer, answer.body);
  return reply.code(answer.statusCode).headers(responseHeaders(answer.headers)).send(answer.body);
};

const timesOf = ({ metrics }: ReverseProxyParts): ((request: ProxiedRequest, reply: FastifyReply) => void) => {
  const histogram = metrics.histogram({
    name: 'lanyard_gateway_forward_seconds',
    help: 'Time of forwarded requests',
    labelNames: ['upstream', 'method', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 35],
  });
  return (request, reply) => {
    const { upstream = 'none' } = request;
    histogram.observe(
      { upstream, method: request.method, status: String(reply.statusCode) },
      reply.elapsedTime / 1_000,
    );
  };
};

/** Everything below /v2 and /v3 that is not the gateway's own. Bodies are not parsed here: they flow through. */
export const reverseProxy =
  (parts: ReverseProxyParts) =>
  async (fastify: FastifyInstance): Promise<void> => {
    fastify.removeAllContentTypeParsers();
    fastify.decorateRequest('upstream', undefined);
    fastify.decorateRequest('identity', undefined);
    fastify.addContentTypeParser('*', (_request, _payload, done) => done(null));
    fastify.setErrorHandler((error, request, reply) => {
      if (reply.raw.destroyed) return reply.hijack();
      // What a refused client still sends is not read: the connection ends with the answer.
      if (!request.raw.complete) reply.header('connection', 'close');
      parts.errors.answer(error, request, reply);
    });
    const measure = timesOf(parts);
    fastify.addHook('onResponse', (request, reply, done) => {
      measure(request, reply);
      done();
    });
    const handler = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const closed = parts.openCalls.enter(reply.raw);
      if (closed) reply.header('connection', 'close');
      return handle(parts, request, reply);
    };
    for (const url of ['/v2/*', '/v3/*']) {
      fastify.route({ method: methods, url, handler, config: { passesOn: true } });
      fastify.options(url, { config: { passesOn: true } }, async (request: ProxiedRequest, reply) => {
        const path = pathOf(request.url);
        const route = routeOf(path);
        const allowed = route ? methods : otherMethods(request);
        if (allowed.length === 0) throw new NoSuchPath();
        if (route) request.upstream = route.upstream;
        return reply
          .code(204)
          .header('allow', [...allowed, 'OPTIONS'].join(', '))
          .send();
      });
    }
  };
