import type { FastifyInstance } from 'fastify';

/**
 * Pages load from this server only and are shown in no frame. Swagger UI writes `style` attributes and draws icons from
 * data URLs; its requests go to the server that the document names.
 */
const contentPolicy = (publicUrl: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    `connect-src 'self'${publicUrl !== undefined && URL.canParse(publicUrl) ? ` ${new URL(publicUrl).origin}` : ''}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const isPage = (url: string): boolean => /^\/(docs([/?]|$)|$|\?)/.test(url);

/** For the pages that the gateway shows: `GET /` and `/docs`. */
export const setContentPolicy = (fastify: FastifyInstance, publicUrl: string | undefined): void => {
  const policy = contentPolicy(publicUrl);
  fastify.addHook('onRequest', (request, reply, done) => {
    if (isPage(request.url))
      reply
        .header('content-security-policy', policy)
        .header('x-frame-options', 'DENY')
        .header('referrer-policy', 'no-referrer');
    done();
  });
};
