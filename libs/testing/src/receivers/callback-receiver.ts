import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventsOf, parseMessage, type ReceivedMessage } from './notification-message.js';

export interface ReceivedCall {
  method: string;
  /** Path with query. */
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
  /** The status that it was answered with; 0 if it got no answer. */
  answered: number;
  atMs: number;
}

/** A status; `hang` never answers; `reset` breaks the connection; a function writes the answer itself. */
export type CallbackAnswer = number | 'hang' | 'reset' | ((request: IncomingMessage, response: ServerResponse) => void);

const isSuccess = (status: number): boolean => status === 200 || status === 204;

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
};

/** An application's HTTP server for callbacks. Its answer can be switched at any time. */
export class CallbackReceiver {
  readonly calls: ReceivedCall[] = [];
  /** Called for each call after it was answered. */
  onCall: (call: ReceivedCall) => void = () => undefined;
  private server: Server | undefined;
  private host = '127.0.0.1';
  private answerWith: CallbackAnswer = 204;
  /**
   * Used by no other receiver: channels of earlier tests still call the port of a stopped receiver, which this one may
   * have now.
   */
  private readonly path = `/hook/${randomUUID()}`;

  /** Listens on a free port. @param host an address of this machine that its callers reach */
  async start(host: string = this.host): Promise<this> {
    this.host = host;
    this.server = createServer((request, response) => {
      this.receive(request, response).catch(() => response.destroy());
    });
    // Longer than any pause of a test: a connection that closes while a request is sent looks like a failure.
    this.server.keepAliveTimeout = 30_000;
    await new Promise<void>((resolve) => this.server?.listen(0, host, resolve));
    return this;
  }

  async stop(): Promise<void> {
    const { server } = this;
    this.cut();
    await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  }

  /** Breaks all connections. */
  cut(): void {
    this.server?.closeAllConnections();
  }

  get url(): string {
    return `http://${this.host}:${(this.server?.address() as AddressInfo).port}${this.path}`;
  }

  /** Sets the answer from now on. */
  answer(answer: CallbackAnswer): void {
    this.answerWith = answer;
  }

  /** Calls that carried events; not the verification. */
  get deliveries(): ReceivedCall[] {
    return this.calls.filter(({ body }) => body !== '{}');
  }

  /** Messages that were answered with success, in the order of arrival. */
  get messages(): ReceivedMessage[] {
    return this.deliveries.filter(({ answered }) => isSuccess(answered)).map(({ body }) => parseMessage(body));
  }

  /** Events of one category that were answered with success, in the order of arrival. */
  events(category: string): unknown[] {
    return eventsOf(this.messages, category);
  }

  /** Whether a request is for this receiver: other ones are answered with 404 and not recorded. */
  protected isOwn(path: string): boolean {
    return path.startsWith(this.path);
  }

  protected async receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '' } = request;
    const body = await bodyOf(request);
    if (!this.isOwn(path)) {
      response.writeHead(404).end();
      return;
    }
    const call: ReceivedCall = {
      method: request.method ?? '',
      path,
      headers: request.headers,
      body,
      answered: 0,
      atMs: Date.now(),
    };
    const answer = this.answerWith;
    if (typeof answer === 'number') call.answered = answer;
    this.calls.push(call);
    if (typeof answer === 'function') answer(request, response);
    else if (answer === 'reset') request.socket.resetAndDestroy();
    else if (answer !== 'hang') response.writeHead(answer).end();
    this.onCall(call);
  }
}
