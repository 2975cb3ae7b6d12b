import type { Identity } from '@lanyard/service';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { routeOf } from './routes.js';
import { sourceOf } from '../authentication/client-address.js';
import type { Refusals } from '../authentication/refusals.js';

type Identified = FastifyRequest & { identity?: Identity; isOtherRefusal?: boolean };

/** The declared path, because the path that the client wrote may contain anything. */
const operationOf = (request: FastifyRequest): string => {
  const { url = '' } = request.routeOptions;
  const path = url.endsWith('*') ? routeOf(request.url.split('?', 1)[0] as string)?.prefix : url;
  return `${request.method} ${path ?? ''}`;
};

/** An error object or its token. The response to HEAD has no body. */
const saysDenied = (body: string): boolean =>
  body === '' || body === 'FORBIDDEN' || body.includes('"type":"access_denied"');

/** Some 403 are not due to the key: quotas, suspended devices. */
export const classifyRefusal = (request: Identified, body: unknown): void => {
  if (typeof body === 'string' || Buffer.isBuffer(body)) request.isOtherRefusal = !saysDenied(body.toString());
};

/** Counts each request that a valid key may not make, whichever service denied it. */
export const recordDeniedRequests = (fastify: FastifyInstance, refusals: Refusals, trustedProxies: number): void => {
  // Answers of services that are passed on at once do not come here: see ProxyHandler.
  fastify.addHook('onSend', (request: Identified, reply, payload, done) => {
    if (reply.statusCode === 403) classifyRefusal(request, payload);
    done();
  });
  fastify.addHook('onResponse', (request: Identified, reply, done) => {
    const { identity, isOtherRefusal = false } = request;
    if (reply.statusCode === 403 && identity && !isOtherRefusal)
      refusals.recordRefusal({
        kind: 'denied',
        accountId: identity.accountId,
        keyId: identity.keyId,
        ...sourceOf(request, trustedProxies),
        operation: operationOf(request),
      });
    done();
  });
};
