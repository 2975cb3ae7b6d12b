import { once } from 'node:events';
import { type IncomingMessage, request, type ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Certified } from '@lanyard/testing';

/** A client's request, and the status of the answer. */
interface Exchange {
  range: string | undefined;
  ifRange: string | undefined;
  status: number | undefined;
}

/** TLS in front of the gateway, as in a load balancer. Each response breaks off after a number of bytes of its body. */
export class HttpsFront {
  readonly exchanges: Exchange[] = [];
  private target = '';
  private readonly server: Server;

  private constructor(
    { certificate, privateKey }: Certified,
    private readonly bodyBytesMax: number,
  ) {
    this.server = createServer({ cert: certificate, key: privateKey }, (incoming, response) =>
      this.forward(incoming, response),
    );
  }

  static async start(certified: Certified, bodyBytesMax: number): Promise<HttpsFront> {
    const front = new HttpsFront(certified, bodyBytesMax);
    front.server.listen(0, '127.0.0.1');
    await once(front.server, 'listening');
    return front;
  }

  get url(): string {
    return `https://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  forwardTo(target: string): void {
    this.target = target;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private forward({ url = '/', method, headers }: IncomingMessage, response: ServerResponse): void {
    const { host: _, ...forwarded } = headers;
    const upstream = request(this.target + url, { method, headers: forwarded }, (answer) => {
      const { range, 'if-range': ifRange } = headers as Record<string, string | undefined>;
      this.exchanges.push({ range, ifRange, status: answer.statusCode });
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      this.pass(answer, response);
    });
    upstream.once('error', () => response.destroy());
    upstream.end();
  }

  private pass(answer: IncomingMessage, response: ServerResponse): void {
    let left = this.bodyBytesMax;
    answer.on('data', (chunk: Buffer) => {
      const part = chunk.subarray(0, left);
      left -= part.length;
      if (left > 0) return void response.write(part);
      answer.destroy();
      response.write(part, () => setImmediate(() => response.destroy()));
    });
    answer.once('end', () => response.end());
  }
}
