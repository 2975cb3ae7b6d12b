import type { GivenAnswer } from './answers.ts';
import type { Operation } from './document.ts';

export interface PreparedRequest {
  operation: Operation;
  /** With query, as it is sent. */
  url: string;
  headers: Record<string, string>;
  body: string | undefined;
}

/** An answer that takes longer is a hang. */
const answerTimeoutMs = 60_000;
const eventStream = 'text/event-stream';

/** A stream of events has no end, so the test sees only that it began. */
const textOf = async (response: Response, contentType: string): Promise<string> => {
  if (!contentType.startsWith(eventStream)) return response.text();
  await response.body?.cancel();
  return '';
};

/** Rejects when no answer comes. */
export const exchange = async (
  baseUrl: string,
  key: string,
  { operation, url, headers, body }: PreparedRequest,
): Promise<GivenAnswer> => {
  const response = await fetch(baseUrl + url, {
    method: operation.method,
    headers: { authorization: `Bearer ${key}`, ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(answerTimeoutMs),
  });
  const contentType = response.headers.get('content-type') ?? '';
  return { status: response.status, contentType, text: await textOf(response, contentType) };
};

export const jsonOf = ({ contentType, text }: GivenAnswer): unknown =>
  contentType.includes('json') && text !== '' ? JSON.parse(text) : undefined;

export const asCurl = ({ operation, url, headers, body }: PreparedRequest): string =>
  [
    `curl -X ${operation.method} "$BASE${url}"`,
    ...Object.entries(headers).map(([name, value]) => `-H '${name}: ${value}'`),
    ...(body === undefined ? [] : [`-d ${JSON.stringify(body.slice(0, 2_000))}`]),
  ].join(' ');
