import { createServer, type Server } from 'node:http';
import { callbackEvents, textOf } from '@lanyard/client';

/** A developer's server: it answers 500, or accepts messages and verifies their signatures. */
export class LocalServer {
  readonly values: number[] = [];
  /** Ids of the messages that it accepted. */
  readonly ids: string[] = [];
  /** Path of the last message. */
  path: string | undefined;
  refused = 0;
  /** How many more messages it refuses. */
  refuses = 0;
  private readonly server: Server;

  constructor(secret: () => string) {
    this.server = createServer((request, response) => {
      void request.toArray().then((parts) => {
        if (this.refuses > 0) {
          this.refuses--;
          this.refused++;
          return void response.writeHead(500).end();
        }
        const events = callbackEvents(Buffer.concat(parts as Buffer[]), {
          secrets: [secret()],
          headers: request.headers,
        });
        this.ids.push(String(request.headers['webhook-id']));
        this.path = request.url;
        for (const event of events)
          if (event.category === 'notifications') this.values.push(Number(textOf(event.payload)));
        response.writeHead(204).end();
      });
    });
  }

  get distinct(): number[] {
    return [...new Set(this.values)];
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.server.listen(port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
