import type { FastifyInstance, FastifyRequest } from 'fastify';
import { clientAddress, clientNetworkOf } from '../authentication/client-address.js';
import { isProbe } from './probes.js';
import type { UnreadResponses } from './unread-responses.js';

/** Bounds the unread responses of the gateway itself, by address: some need no key. ProxyHandler bounds those of services. */
export const boundUnreadResponses = (
  fastify: FastifyInstance,
  unread: UnreadResponses,
  trustedProxies: number,
): void => {
  const callerOf = ({ raw }: FastifyRequest): string => clientNetworkOf(clientAddress(raw, trustedProxies));
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { config } = request.routeOptions;
    done(config.passesOn === true || isProbe(request) ? undefined : unread.refusal(callerOf(request)));
  });
  fastify.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload === 'string') unread.count(callerOf(request), payload.length, reply.raw);
    done();
  });
};
