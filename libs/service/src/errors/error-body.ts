import type { ServiceError } from './service-error.js';

export interface ErrorReply {
  status: number;
  contentType: string;
  headers: Record<string, string>;
  body: string;
}

const jsonBody = (error: ServiceError, requestId: string): string =>
  JSON.stringify({
    object: 'error',
    code: error.status,
    type: error.code,
    message: error.message,
    request_id: requestId,
    ...(error.fields.length > 0 && { fields: error.fields }),
  });

/**
 * v2 paths answer the bare token unless the client asks for JSON, in any case (RFC 9110 §8.3.1); all other paths answer the error
 * object.
 */
const wantsToken = (path: string, accept = ''): boolean =>
  path.replace(/\/{2,}/g, '/').startsWith('/v2/') && !/application\/json/i.test(accept);

/** The one place where an error becomes a response. */
export const errorReply = (
  error: ServiceError,
  path: string,
  accept: string | undefined,
  requestId: string,
): ErrorReply => {
  const asToken = wantsToken(path, accept);
  return {
    status: error.status,
    contentType: asToken ? 'text/plain; charset=utf-8' : 'application/json; charset=utf-8',
    headers: error.retryAfterSeconds === undefined ? {} : { 'retry-after': String(error.retryAfterSeconds) },
    body: asToken ? error.token : jsonBody(error, requestId),
  };
};
