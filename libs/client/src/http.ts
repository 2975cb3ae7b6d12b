import { randomId } from './bytes.js';
import { InvalidPathValue, NoAnswer, requestFailed } from './errors.js';
import type { ErrorBody } from './generated/api.js';
import type { AnyInput, CallOptions } from './operations.js';
import { retrying } from './retry.js';

export interface HttpOptions {
  /** For example `https://lanyard.example`. */
  baseUrl: string;
  /** Without a key, the browser's session is used. */
  key: string | undefined;
  timeoutMs: number;
  retries: number;
  fetch: typeof fetch;
}

const repeatableMethods = new Set(['GET', 'PUT', 'DELETE']);

/** Sent again, they would reach the device twice, so the service accepts an Idempotency-Key for them. */
const isCommand = (method: string, path: string): boolean =>
  path === '/v2/device-requests/{deviceId}' || (method !== 'GET' && path.startsWith('/v2/endpoints/'));

const isRepeatable = (method: string, path: string): boolean =>
  repeatableMethods.has(method) || isCommand(method, path);

const idempotencyKey = 'Idempotency-Key';

/** Every attempt of one call has the same key. */
const withIdempotencyKey = (input: AnyInput): AnyInput => ({
  ...input,
  header: { ...input.header, [idempotencyKey]: input.header?.[idempotencyKey] ?? randomId() },
});

/** A URL loses segments of dots, and the service ignores a slash at the end: the rest is the path of another operation. */
const segmentOf = (operation: string, name: string, value: string): string => {
  if (['', '.', '..'].includes(value)) throw new InvalidPathValue(`${operation}: ${name} cannot be "${value}"`);
  return encodeURIComponent(value);
};

const urlOf = (base: string, operation: string, { path: values = {}, query = {} }: AnyInput): string => {
  const [, path = ''] = operation.split(' ');
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(operation, name, String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.append(name, String(value));
  return `${base}${filled}${search.size > 0 ? `?${search}` : ''}`;
};

const partBytes = 65_536;

/** Node's fetch gives up a part that takes more than 300 s to send, however many bytes of it have left. */
const partsOf = (bytes: Uint8Array): Uint8Array<ArrayBuffer>[] =>
  Array.from({ length: Math.ceil(bytes.length / partBytes) }, (_, n) =>
    bytes.slice(n * partBytes, (n + 1) * partBytes),
  );

const bodyOf = (body: unknown): RequestInit => {
  if (body === undefined) return {};
  if (body instanceof Uint8Array) return { body: new Blob(partsOf(body)) };
  if (typeof body === 'string') return { body, headers: { 'content-type': 'text/plain' } };
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
};

/** A timer with more ends at once. */
const longestTimerMs = 2_147_483_647;

/**
 * Gives `attempt` a signal that aborts with that of the caller, or after `ms` unless the attempt has ended. The timer keeps its
 * signal: an `AbortSignal.timeout` in an `AbortSignal.any` may be garbage-collected before its time (nodejs/node#57736).
 */
const inTime = async <T>(
  ms: number,
  signal: AbortSignal | undefined,
  attempt: (ends: AbortSignal) => Promise<T>,
): Promise<T> => {
  const late = new AbortController();
  const stop = (): void => late.abort(new DOMException('the time is over', 'TimeoutError'));
  const timer = setTimeout(stop, Math.min(ms, longestTimerMs));
  try {
    return await attempt(signal ? AbortSignal.any([signal, late.signal]) : late.signal);
  } finally {
    clearTimeout(timer);
  }
};

const read = async (response: Response): Promise<unknown> => {
  const text = await response.text();
  if (text === '') return undefined;
  return response.headers.get('content-type')?.includes('json') ? (JSON.parse(text) as unknown) : text;
};

/** The error object of the service: a proxy may answer with JSON of its own. */
const isErrorBody = (answer: unknown): answer is ErrorBody => {
  const { type, message, fields = [] } = (answer ?? {}) as Partial<Record<keyof ErrorBody, unknown>>;
  return typeof type === 'string' && typeof message === 'string' && Array.isArray(fields);
};

/** The error object, or the text of any other answer. */
const errorBodyOf = (answer: unknown = ''): ErrorBody | string =>
  isErrorBody(answer) || typeof answer === 'string' ? answer : JSON.stringify(answer);

interface Exchange {
  answer: unknown;
  headers: Headers;
}

interface Attempt {
  /** Aborts when the attempt is given up. */
  ends: AbortSignal;
  /** Of the caller. */
  signal: AbortSignal | undefined;
  /** Reads the part of the body that is wanted. */
  reading: (response: Response) => Promise<unknown>;
}

/** Sends requests and reads answers; retries what may be repeated. */
export class Http {
  constructor(readonly options: HttpOptions) {}

  /** `operation`: `GET /v3/devices/{id}`. Throws RequestFailed, or NoAnswer. */
  async send(operation: string, input: AnyInput = {}, options: CallOptions = {}): Promise<unknown> {
    return (await this.exchange(operation, input, options)).answer;
  }

  /** Like `send`, with the headers of the answer. */
  exchange(operation: string, input: AnyInput = {}, options: CallOptions = {}): Promise<Exchange> {
    const [method = '', path = ''] = operation.split(' ');
    const { retries = this.options.retries, signal } = options;
    const sent = isCommand(method, path) ? withIdempotencyKey(input) : input;
    return retrying(() => this.sendOnce(operation, sent, options), {
      retries,
      repeatable: isRepeatable(method, path),
      ...(signal && { signal }),
    });
  }

  /** For an answer without an end: resolves with what `begin` makes of its body, within `timeoutMs`. Throws RequestFailed, or NoAnswer. */
  stream<T>(
    operation: string,
    input: AnyInput,
    { timeoutMs = this.options.timeoutMs, signal, retries = this.options.retries }: CallOptions,
    begin: (body: ReadableStream<Uint8Array>) => Promise<T>,
  ): Promise<T> {
    const beginning = async (ends: AbortSignal): Promise<T> => {
      const reading = (response: Response): Promise<unknown> =>
        response.ok ? begin(response.body ?? new ReadableStream()) : read(response);
      const { answer } = await this.answered(operation, input, { ends, signal, reading });
      return answer as T;
    };
    const attempt = (): Promise<T> => inTime(timeoutMs, signal, beginning);
    return retrying(attempt, { retries, repeatable: true, ...(signal && { signal }) });
  }

  /** The service accepts a session cookie only with a header that pages of other sites cannot send. */
  private get credentials(): Record<string, string> {
    const { key } = this.options;
    return key === undefined ? { 'x-requested-with': 'lanyard' } : { authorization: `Bearer ${key}` };
  }

  private async sendOnce(
    operation: string,
    input: AnyInput,
    { timeoutMs = this.options.timeoutMs, signal }: CallOptions,
  ): Promise<Exchange> {
    const { response, answer } = await inTime(timeoutMs, signal, (ends) =>
      this.answered(operation, input, { ends, signal, reading: read }),
    );
    return { answer, headers: response.headers };
  }

  private async answered(
    operation: string,
    input: AnyInput,
    { ends, signal, reading }: Attempt,
  ): Promise<{ response: Response; answer: unknown }> {
    const [method = ''] = operation.split(' ');
    const url = urlOf(this.options.baseUrl, operation, input);
    const { headers, ...body } = bodyOf(input.body);
    const given = Object.entries(input.header ?? {}).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    let response: Response;
    let answer: unknown;
    try {
      response = await this.options.fetch(url, {
        method,
        ...body,
        headers: {
          accept: 'application/json',
          ...(headers as Record<string, string>),
          ...Object.fromEntries(given),
          ...this.credentials,
        },
        signal: ends,
      });
      answer = await reading(response);
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw new NoAnswer(`${operation}: no answer from ${this.options.baseUrl}`, { cause: error });
    }
    if (response.ok) return { response, answer };
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    throw requestFailed(operation, {
      status: response.status,
      body: errorBodyOf(answer),
      requestId: response.headers.get('x-request-id') ?? undefined,
      retryAfterSeconds: Number.isFinite(retryAfter) ? retryAfter : undefined,
    });
  }
}
