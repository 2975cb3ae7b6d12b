import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { errorReply } from '../errors/error-body.js';
import { MalformedJson, ValidationFailed } from '../errors/service-error.js';
import { answerJsonText } from './json-text.js';
import { bodyLimitBytes } from './limits.js';
import { nulIn, refuseUnstorableText } from './text.js';

/** Client timeouts: what a slow or half-open peer may hold. */
const headersTimeoutMs = 10_000;
const requestTimeoutMs = 30_000;
const keepAliveTimeoutMs = 65_000;

export const requestIdHeader = 'x-request-id';

const saneRequestId = /^[\w-]{1,64}$/;

const requestId = (request: IncomingMessage): string => {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && saneRequestId.test(given) ? given : randomUUID().replaceAll('-', '');
};

/** `//` collapses and a trailing slash does not count: clients use all of these spellings. */
export const normaliseUrl = (url: string): string => {
  const mark = url.indexOf('?');
  const path = mark < 0 ? url : url.slice(0, mark);
  const clean = path.replace(/\/{2,}/g, '/');
  const short = clean.length > 1 && clean.endsWith('/') ? clean.slice(0, -1) : clean;
  return mark < 0 ? short : short + url.slice(mark);
};

/** A `__proto__` key in a body never reaches an object. */
const withoutPrototype = (text: string): unknown => {
  try {
    return JSON.parse(text, (key, value: unknown) => (key === '__proto__' ? undefined : value));
  } catch {
    throw new MalformedJson();
  }
};

const parseJson = (text: string): unknown => {
  const value = withoutPrototype(text);
  refuseUnstorableText(text, value);
  return value;
};

export interface HttpOptions {
  /** Paths below these prefixes get their body as a Buffer. */
  rawBodyPrefixes?: readonly string[];
}

/** A path that cannot be decoded reaches no route, so no filter either. */
const refuseUrl = (request: FastifyRequest, reply: FastifyReply): void => {
  const error = new ValidationFailed([{ name: 'url', message: 'is not a valid URL' }]);
  const answer = errorReply(error, request.url, request.headers.accept, request.id);
  void reply
    .code(answer.status)
    .headers({ ...answer.headers, [requestIdHeader]: request.id })
    .type(answer.contentType)
    .send(answer.body);
};

/** Fastify as every service runs it: JSON bodies whatever the content type, request ids, limits. */
export const createFastify = ({ rawBodyPrefixes = [] }: HttpOptions = {}): FastifyAdapter => {
  const adapter = new FastifyAdapter({
    bodyLimit: bodyLimitBytes,
    genReqId: requestId,
    rewriteUrl: (request: IncomingMessage) => normaliseUrl(request.url ?? '/'),
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    forceCloseConnections: true,
    http: { headersTimeout: headersTimeoutMs },
    frameworkErrors: (_: Error, request: FastifyRequest, reply: FastifyReply) => refuseUrl(request, reply),
  });
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (rawBodyPrefixes.some((prefix) => request.url.startsWith(prefix))) return done(null, body);
    if (body.length === 0) return done(null, undefined);
    try {
      done(null, parseJson(body.toString('utf8')));
    } catch (error) {
      done(error as Error);
    }
  });
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.header(requestIdHeader, request.id);
    done(nulIn(request.originalUrl));
  });
  answerJsonText(fastify);
  return adapter;
};
