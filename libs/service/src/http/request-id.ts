import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export const requestIdHeader = 'x-request-id';

const sane = /^[\w-]{1,64}$/;

export const newRequestId = (): string => randomUUID().replaceAll('-', '');

/** The caller's id, when it is one that is safe to log and to pass on. */
export const requestIdOf = (request: IncomingMessage): string => {
  const given = request.headers[requestIdHeader];
  return typeof given === 'string' && sane.test(given) ? given : newRequestId();
};
