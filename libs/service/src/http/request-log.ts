import type { FastifyInstance } from 'fastify';
import { isApi } from '../telemetry/http-spans.js';
import type { Logger } from '../telemetry/logger.js';

/** Logs one line for each call of the API, without the query, if the level `debug` is on; otherwise costs nothing. */
export const logRequests = (fastify: FastifyInstance, logger: Logger): void => {
  if (!logger.isLevelEnabled('debug')) return;
  fastify.addHook('onResponse', async (request, reply) => {
    if (!isApi(request.url)) return;
    const { id: requestId, method, url } = request;
    const tookMs = Math.round(reply.elapsedTime);
    logger.debug(
      { requestId, method, path: url.split('?', 1)[0], status: reply.statusCode, tookMs },
      'request answered',
    );
  });
};
