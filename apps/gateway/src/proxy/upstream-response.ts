import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { ForwardedCall } from './upstream-calls.js';
import type { Replica } from './replicas.js';

/** Responses up to this size are buffered: one write to the client, without a stream. */
const wholeBytesMax = 262_144;

/** The response of an upstream on its way to the client. */
export interface UpstreamResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  /** A stream for responses that are large or of unknown length; a slow client slows the upstream down. */
  body: Buffer | Readable | undefined;
}

const hasNoBody = (method: string, statusCode: number): boolean =>
  method === 'HEAD' || statusCode === 204 || statusCode === 304;

/** Receives one response. Rejects if it breaks off before it is passed on; a stream that breaks off is destroyed. */
class ResponseReader implements Dispatcher.DispatchHandler {
  private head: Omit<UpstreamResponse, 'body'> = { statusCode: 0, headers: {} };
  private chunks: Buffer[] = [];
  private stream: Readable | undefined;

  constructor(
    private readonly call: ForwardedCall,
    private readonly resolve: (response: UpstreamResponse) => void,
    private readonly reject: (error: unknown) => void,
  ) {}

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const abort = (): void => controller.abort(new Error('the client went away'));
    if (this.call.signal.aborted) return abort();
    this.call.signal.onDisconnect(abort);
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    if (statusCode < 200) return;
    this.head = { statusCode, headers };
    const bytes = Number(headers['content-length'] ?? NaN);
    if (bytes <= wholeBytesMax || hasNoBody(this.call.method, statusCode)) return;
    this.stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (!this.stream?.readableEnded) controller.abort(error ?? new Error('the client went away'));
        done(error);
      },
    });
    this.resolve({ statusCode, headers, body: this.stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.stream) this.chunks.push(chunk);
    else if (!this.stream.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.unsubscribe();
    if (this.stream) return void this.stream.push(null);
    const { statusCode, headers } = this.head;
    const [first] = this.chunks;
    this.resolve({ statusCode, headers, body: this.chunks.length > 1 ? Buffer.concat(this.chunks) : first });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.unsubscribe();
    if (this.stream) this.stream.destroy(error);
    else this.reject(error);
  }

  private unsubscribe(): void {
    this.call.signal.onDisconnect(undefined);
  }
}

/** Sends a request to a replica whose response is passed on unchanged. */
export const forwardRequest = (replica: Replica, call: ForwardedCall): Promise<UpstreamResponse> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body } = call;
    if (body.contentLength !== undefined) headers['content-length'] = body.contentLength;
    replica.pool.dispatch(
      { method: method as Dispatcher.HttpMethod, path, headers, body: body.open() as Buffer | null },
      new ResponseReader(call, resolve, reject),
    );
  });
