import type { FastifyReply } from 'fastify';
import { isApi } from '../telemetry/http-spans.js';

/** No response is interpreted as another media type. */
export const noSniff = { 'x-content-type-options': 'nosniff' } as const;

/** On every answer. Those of the API are of one tenant and some show a secret: nothing keeps them, unless they say so. */
export const setSecurityHeaders = (reply: FastifyReply, url: string): void => {
  reply.header('x-content-type-options', noSniff['x-content-type-options']);
  if (isApi(url)) reply.header('cache-control', 'no-store');
};
