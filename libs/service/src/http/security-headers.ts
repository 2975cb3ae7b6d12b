import type { FastifyReply } from 'fastify';

/** No response is interpreted as another media type. */
export const noSniff = { 'x-content-type-options': 'nosniff' } as const;

const isApi = (url: string): boolean => /^\/(v\d|explain)\//.test(url);

/** On every answer. Those of the API are of one tenant and some show a secret: nothing keeps them, unless they say so. */
export const setSecurityHeaders = (reply: FastifyReply, url: string): void => {
  reply.header('x-content-type-options', noSniff['x-content-type-options']);
  if (isApi(url)) reply.header('cache-control', 'no-store');
};
