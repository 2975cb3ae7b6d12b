import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { ConnectionLimits } from './connection-limits.js';

const paths: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz']);

/** Whatever probes the gateway restarts the process when it gets no response, and may share the address of a client. */
export const isProbe = ({ routeOptions }: FastifyRequest): boolean => paths.has(routeOptions.url);

/** On connections of the reserve, only probes are answered. */
export const keepReserveForProbes = (fastify: FastifyInstance, connections: ConnectionLimits): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    const { socket } = request.raw;
    if (!connections.isReserve(socket)) return done();
    if (!isProbe(request)) {
      reply.hijack();
      return connections.refuse(socket);
    }
    reply.header('connection', 'close');
    done();
  });
};
