import { STATUS_CODES } from 'node:http';
import { errorReply } from '../errors/error-body.js';
import type { ServiceError } from '../errors/service-error.js';
import { requestIdHeader } from './request-id.js';
import { noSniff } from './security-headers.js';

/** Head of an HTTP/1.1 response, for a socket that no server looks after any more. `headers`: name, value, name, … */
export const rawHead = (status: number, headers: readonly string[]): string => {
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`];
  for (let i = 0; i + 1 < headers.length; i += 2) lines.push(`${headers[i]}: ${headers[i + 1]}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
};

/** The whole response for an error, in the form of its path; the connection ends with it. */
export const rawError = (
  error: ServiceError,
  request: { path: string; accept: string | undefined; requestId: string },
): string => {
  const { status, headers, contentType, body } = errorReply(error, request.path, request.accept, request.requestId);
  const all = {
    ...headers,
    ...noSniff,
    'content-type': contentType,
    'content-length': String(Buffer.byteLength(body)),
    [requestIdHeader]: request.requestId,
    connection: 'close',
  };
  return rawHead(status, Object.entries(all).flat()) + body;
};
