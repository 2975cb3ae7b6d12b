import type { FastifyRequest } from 'fastify';
import { MethodNotAllowed } from '../errors/service-error.js';

/** For a GET that has effects: Fastify also routes HEAD to it, whose response body would be discarded. */
export const refuseHead = ({ method }: Pick<FastifyRequest, 'method'>): void => {
  if (method === 'HEAD') throw new MethodNotAllowed();
};
