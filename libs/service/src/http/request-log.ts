import type { FastifyInstance } from 'fastify';
import type { Logger } from '../telemetry/logger.js';

const isApi = /^\/(v\d|explain)\//;

/** One line for each call of the API, where `debug` is logged; costs nothing elsewhere. Without the query. */
export const logRequests = (fastify: FastifyInstance, logger: Logger): void => {
  if (!logger.isLevelEnabled('debug')) return;
  fastify.addHook('onResponse', async (request, reply) => {
    if (!isApi.test(request.url)) return;
    const { id: requestId, method, url } = request;
    const tookMs = Math.round(reply.elapsedTime);
    logger.debug(
      { requestId, method, path: url.split('?', 1)[0], status: reply.statusCode, tookMs },
      'request answered',
    );
  });
};
