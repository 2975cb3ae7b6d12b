import type { Identity } from '@lanyard/service';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { routeOf } from './routes.js';
import { clientAddress } from '../authentication/client-address.js';
import type { Refusals } from '../authentication/refusals.js';

type Identified = FastifyRequest & { identity?: Identity };

/** The declared path, because the path that the client wrote may contain anything. */
const operationOf = (request: FastifyRequest): string => {
  const { url = '' } = request.routeOptions;
  const path = url.endsWith('*') ? routeOf(request.url.split('?', 1)[0] as string)?.prefix : url;
  return `${request.method} ${path ?? ''}`;
};

/** Counts each denied request of a valid key, whichever service denied it. */
export const recordDeniedRequests = (app: NestFastifyApplication, refusals: Refusals, trustedProxies: number): void => {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onResponse', (request: Identified, reply, done) => {
    const { identity } = request;
    if (reply.statusCode === 403 && identity)
      refusals.recordRefusal({
        kind: 'denied',
        accountId: identity.accountId,
        keyId: identity.keyId,
        address: clientAddress(request.raw, trustedProxies),
        requestId: request.id,
        operation: operationOf(request),
      });
    done();
  });
};
