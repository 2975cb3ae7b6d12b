import type { FastifyRequest } from 'fastify';
import { MethodNotAllowed } from '../errors/service-error.js';

/** For a GET that has effects: Fastify takes HEAD for it as well, and what it answers would reach nobody. */
export const refuseHead = ({ method }: Pick<FastifyRequest, 'method'>): void => {
  if (method === 'HEAD') throw new MethodNotAllowed();
};
