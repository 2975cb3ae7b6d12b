import type { FastifyRequest } from 'fastify';
import { readPath } from '../commands/device-request.js';

/** The resource path at the end of `<prefix><device id>/<path>`. Throws MalformedPath. */
export const resourcePathIn = (request: FastifyRequest, prefix: string): string => {
  const [path = ''] = request.url.split('?');
  const rest = path.slice(prefix.length);
  return readPath('path', rest.slice(rest.indexOf('/')));
};

const levels = [
  ':object',
  ':object/:instance',
  ':object/:instance/:resource',
  ':object/:instance/:resource/:resourceInstance',
];

/** Routes of a controller for every depth a resource path may have. */
export const resourceRoutes = (prefix = ''): string[] => levels.map((level) => prefix + level);
