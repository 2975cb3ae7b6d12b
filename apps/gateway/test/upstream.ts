import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

export interface Seen {
  method: string;
  url: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

const echo: Handler = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('error', () => undefined);
  request.on('end', () => {
    const { method = '', url = '', headers } = request;
    const seen: Seen = { method, url, headers, body: Buffer.concat(chunks).toString() };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(seen));
  });
};

/** An upstream of the gateway: a real HTTP server whose behaviour a test may switch. */
export class Upstream {
  handler: Handler = echo;
  requests = 0;
  readonly server: Server;
  private readonly sockets = new Set<Socket>();

  constructor() {
    this.server = createServer((request, response) => {
      this.requests++;
      this.handler(request, response);
    });
    this.server.on('connection', (socket) => {
      this.sockets.add(socket);
      // After an upgrade no one else listens, and a client may reset the connection.
      socket.on('error', () => socket.destroy());
      socket.once('close', () => this.sockets.delete(socket));
    });
  }

  echo(): void {
    this.handler = echo;
  }

  async listen(port = 0): Promise<this> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return this;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** A port that was free a moment ago: connecting is refused. */
export const closedPort = async (): Promise<number> => {
  const upstream = await new Upstream().listen();
  const { port } = upstream;
  await upstream.stop();
  return port;
};
