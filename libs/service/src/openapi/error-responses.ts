import { statementMaxMs } from '../database/open-database.js';
import type { JsonSchema, Operation, ResponseObject } from './document-types.js';

/** The error object of v3, and of v2 for clients that ask for JSON. */
const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    object: { type: 'string', enum: ['error'] },
    code: { type: 'integer', description: 'The HTTP status' },
    type: { type: 'string', pattern: '^[a-z_]+$', description: 'Machine-readable: validation_error, not_found, …' },
    message: { type: 'string', description: 'Human-readable text: what is wrong and what to do' },
    request_id: { type: 'string', description: 'Identifies the request in the logs of all services' },
    fields: {
      type: 'array',
      items: {
        type: 'object',
        properties: { name: { type: 'string' }, message: { type: 'string' } },
        required: ['name', 'message'],
        additionalProperties: false,
      },
    },
  },
  required: ['object', 'code', 'type', 'message', 'request_id'],
  additionalProperties: false,
};

const tokenSchema: JsonSchema = {
  type: 'string',
  pattern: '^[A-Z0-9_]+$',
  description: 'A single token, for example DEVICE_NOT_FOUND; with Accept: application/json, the error object instead',
};

export const errorSchemas = { Error: errorSchema, ErrorToken: tokenSchema };

/** Any operation may be refused for the rate of its key, whatever else it has of its own. */
const tooMany = 'Too many requests: wait for the time given in Retry-After';

const meaning: Record<number, string> = {
  400: 'The request is not valid',
  401: 'The API key is missing or invalid',
  403: 'The key lacks the permission',
  404: 'Not found in this account',
  408: 'The body did not arrive in time',
  412: 'The record has a different version from the one in If-Match',
  413: 'The body is too large',
  429: tooMany,
  500: 'Internal error of the service',
  503: 'A part of the system does not answer: try again. The request may have been carried out',
  504: `The database query timed out after ${statementMaxMs / 1_000} s: use narrower filters, leave out total_count, or try again later`,
};

export const requestId = { 'X-Request-ID': { $ref: '#/components/headers/RequestId' } };

const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

const contentOf = (path: string): ResponseObject['content'] => ({
  ...(path.startsWith('/v2/') && { 'text/plain': { schema: { $ref: '#/components/schemas/ErrorToken' } } }),
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
});

/** The error statuses of an operation, beside those that it declares. */
const statusesOf = (path: string, operation: Operation): number[] => {
  const parameters = operation.parameters ?? [];
  const has = (place: string, name?: string): boolean =>
    parameters.some((p) => p.in === place && (name === undefined || p.name === name));
  return [
    ...[400, 401, 403, 429, 500, 503],
    ...(has('path') || has('query', 'after') ? [404] : []),
    ...(has('header', 'If-Match') ? [412] : []),
    ...(path.startsWith('/v3/') && (has('query', 'limit') || has('query', 'filter')) ? [504] : []),
    ...(operation.requestBody ? [408, 413] : []),
  ];
};

const descriptionOf = (status: number, own: string | undefined): string => {
  if (!own) return meaning[status] ?? 'Refused';
  return status === 429 ? `${own}. ${tooMany}` : own;
};

const errorResponse = (path: string, status: number, response: ResponseObject): ResponseObject => ({
  ...response,
  description: descriptionOf(status, response.description),
  headers: { ...requestId, ...([429, 502, 503].includes(status) && retryAfter) },
  content: response.content ?? contentOf(path),
});

/** The bare tokens of v2 have responses of their own. */
const kindOf = (path: string): string => (path.startsWith('/v2/') ? 'Token' : 'Error');

/** `Error400`, `Token400` and so on, for statuses that operations do not describe further. */
export const errorResponses = Object.fromEntries(
  ['/v2/', '/v3/'].flatMap((path) =>
    Object.keys(meaning)
      // Only v3 knows If-Match, and lists of any length.
      .filter((status) => path === '/v3/' || !['412', '504'].includes(status))
      .map((status) => [kindOf(path) + status, errorResponse(path, Number(status), {})]),
  ),
);

/** Every error response with its body; those that the operation names keep their description. */
export const withErrors = (path: string, operation: Operation): Operation['responses'] => {
  const responses = { ...operation.responses };
  for (const [status, response] of Object.entries(responses))
    if (Number(status) >= 400) responses[status] = errorResponse(path, Number(status), response);
  for (const status of statusesOf(path, operation))
    responses[status] ??= { $ref: `#/components/responses/${kindOf(path)}${status}` };
  return responses;
};
