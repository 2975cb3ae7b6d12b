import type { FastifyReply } from 'fastify';
import { isApi } from '../telemetry/http-spans.js';

/** No response is interpreted as another media type. */
export const noSniff = { 'x-content-type-options': 'nosniff' } as const;

/** Set on every answer. An answer of the API is for one tenant and may show a secret: no cache keeps it, unless it says so. */
export const setSecurityHeaders = (reply: FastifyReply, url: string): void => {
  reply.header('x-content-type-options', noSniff['x-content-type-options']);
  if (isApi(url)) reply.header('cache-control', 'no-store');
};
