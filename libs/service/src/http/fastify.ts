import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { type Clock, systemClock } from '../clock.js';
import { errorReply } from '../errors/error-body.js';
import {
  MalformedHttp,
  MalformedJson,
  RequestTooSlow,
  type ServiceError,
  ValidationFailed,
} from '../errors/service-error.js';
import { hasBody, watchBody } from './body-timeout.js';
import { answerClientError } from './client-error.js';
import { answerRecords } from './json-text.js';
import { recordRoutes } from './known-routes.js';
import { bodyLimitBytes, headBytesMax, jsonValuesMax } from './limits.js';
import { notNormal, originForm } from './normal-path.js';
import { requestIdHeader, requestIdOf } from './request-id.js';
import { setSecurityHeaders } from './security-headers.js';
import { bodyText, refuseUnstorableText, unreadableIn } from './text.js';

const keepAliveTimeoutMs = 65_000;

/** `//` collapses, a trailing slash is ignored, and the absolute form is accepted: clients use all of these. */
export const normaliseUrl = (target: string): string => {
  const url = originForm(target);
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const clean = path.replace(/\/{2,}/g, '/');
  const short = clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
  return mark < 0 ? short : short + url.slice(mark);
};

const tooManyValues = (): ValidationFailed =>
  new ValidationFailed([{ name: 'body', message: `At most ${jsonValuesMax} values` }]);

const parseJson = (text: string): unknown => {
  let value: unknown;
  let hasPrototype = false;
  let values = 0;
  try {
    value = JSON.parse(text, (key, inner: unknown) => {
      hasPrototype ||= key === '__proto__';
      if (++values > jsonValuesMax) throw tooManyValues();
      return inner;
    });
  } catch (error) {
    throw error instanceof ValidationFailed ? error : new MalformedJson();
  }
  // `__proto__` never becomes a field of an object that is built from the body.
  if (hasPrototype) throw new ValidationFailed([{ name: '__proto__', message: 'Unknown field' }]);
  refuseUnstorableText(text, value);
  return value;
};

export interface HttpOptions {
  /** Paths below these prefixes get their body as a Buffer. */
  rawBodyPrefixes?: readonly string[];
  /** Routes whose body may take as long as bytes arrive. Default: those with a larger body limit. */
  isUpload?: (request: FastifyRequest) => boolean;
  /** Requests for which the server emits `upgrade`, if they ask for one. Default: all, if it has a listener. */
  isUpgrade?: (request: IncomingMessage) => boolean;
  /** For tests: how long a head may take. */
  headersTimeoutMs?: number;
}

/** RFC 9112 §3.2. */
const hostMissing = ({ httpVersion, headers }: IncomingMessage): ServiceError | undefined =>
  httpVersion === '1.1' && headers.host === undefined ? new MalformedHttp() : undefined;

const mayBeLarge = (request: FastifyRequest): boolean => (request.routeOptions.bodyLimit ?? 0) > bodyLimitBytes;

/** For requests that reach no route, and so no error filter either. The rest of the body is not read. */
const refuse = (request: FastifyRequest, reply: FastifyReply, error: ServiceError): void => {
  const answer = errorReply(error, request.url, request.headers.accept, request.id);
  setSecurityHeaders(reply, request.url);
  void reply
    .code(answer.status)
    .headers({ ...answer.headers, [requestIdHeader]: request.id, ...(hasBody(request.raw) && { connection: 'close' }) })
    .type(answer.contentType)
    .send(answer.body);
};

const undecodable = new ValidationFailed([{ name: 'url', message: 'is not a valid URL' }]);

const giveUpBody = (request: FastifyRequest, reply: FastifyReply): void => {
  const error = new RequestTooSlow();
  // Node drops a request with its response: a reader of the body would wait forever.
  const end = (): void => void request.raw.destroy(error);
  if (reply.sent || reply.raw.headersSent) return end();
  reply.raw.once('close', end);
  refuse(request, reply, error);
};

/** RFC 9110 §8.3.1. */
const mediaType = /^\s*[\w!#$%&'*+.^`|~-]+\/[\w!#$%&'*+.^`|~-]+\s*(?:;|$)/;

/**
 * Fastify answers 415 to a Content-Type that is no media type, before a parser gets the body. A JSON body is read whatever
 * its type, so the request is given a type that Fastify accepts. `raw.headers` keeps what the client sent.
 */
const replaceUnreadableType = (request: FastifyRequest): void => {
  const { 'content-type': type } = request.raw.headers;
  if (type !== undefined && !mediaType.test(type)) request.headers = { 'content-type': 'application/octet-stream' };
};

/** Fastify as every service runs it: JSON bodies whatever the content type, request ids, limits. */
export const createFastify = (
  { rawBodyPrefixes = [], isUpload = mayBeLarge, isUpgrade, headersTimeoutMs = 10_000 }: HttpOptions = {},
  clock: () => Clock = () => systemClock,
): FastifyAdapter => {
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    genReqId: requestIdOf,
    rewriteUrl: (request: IncomingMessage) => normaliseUrl(request.url ?? '/'),
    // This would limit the whole request: an upload may take longer, and other bodies are watched below.
    requestTimeout: 0,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: true,
    clientErrorHandler: answerClientError,
    http: {
      headersTimeout: headersTimeoutMs,
      // How often Node checks for timeouts; its default is 30 s.
      connectionsCheckingInterval: headersTimeoutMs / 2,
      maxHeaderSize: headBytesMax,
      // Refused below: Node's own answer has no body.
      requireHostHeader: false,
      ...(isUpgrade && { shouldUpgradeCallback: isUpgrade }),
    },
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => refuse(request, reply, undecodable),
  });
  const fastify = adapter.getInstance();
  const isRaw = ({ url }: { url: string }): boolean => rawBodyPrefixes.some((prefix) => url.startsWith(prefix));
  // Their size limits them. Node would drop those behind the first thousand, also Content-Length and Transfer-Encoding.
  fastify.server.maxHeadersCount = 0;
  // An unknown expectation may be ignored (RFC 9110 §10.1.1): Node would answer 417 without a body.
  fastify.server.on('checkExpectation', (request, response) => fastify.server.emit('request', request, response));
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (isRaw(request)) return done(null, body);
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseJson(bodyText(body as Buffer)));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    setSecurityHeaders(reply, request.url);
    const { raw } = request;
    if (!isRaw(request)) replaceUnreadableType(request);
    if (hasBody(raw)) {
      const ends = { isUpload: () => isUpload(request), giveUp: () => giveUpBody(request, reply) };
      watchBody(clock(), { request: raw, response: reply.raw, ...ends });
    }
    done(hostMissing(raw) ?? unreadableIn(request.originalUrl) ?? notNormal(request.originalUrl));
  });
  answerRecords(fastify);
  recordRoutes(fastify);
  return adapter;
};
