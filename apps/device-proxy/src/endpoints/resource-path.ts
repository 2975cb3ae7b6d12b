import type { FastifyRequest } from 'fastify';
import { readPath } from '../commands/device-request.js';

/** The resource path at the end of `<prefix><device id>/<path>`. Throws MalformedPath. */
export const resourcePathIn = (request: FastifyRequest, prefix: string): string => {
  const [path = ''] = request.url.split('?');
  const rest = path.slice(prefix.length);
  return readPath('path', rest.slice(rest.indexOf('/')));
};
