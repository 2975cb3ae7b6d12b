import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Metrics } from '@lanyard/service';
import { type SimulationContext } from '../device/simulation-context.js';

/** `GET /metrics` for Prometheus; `GET /executions` with how often each device executed what; `GET /values` with values that count up. */
export class HttpServer {
  private readonly server: Server;

  constructor(metrics: Metrics, { executions, numbered }: Pick<SimulationContext, 'executions' | 'numbered'>) {
    this.server = createServer((request, response) => {
      if (request.url === '/metrics')
        metrics.registry.metrics().then(
          (text) => response.setHeader('content-type', metrics.registry.contentType).end(text),
          (error: unknown) => response.writeHead(500).end(String(error)),
        );
      else if (request.url === '/executions')
        response.setHeader('content-type', 'application/json').end(JSON.stringify(executions.all()));
      else if (request.url === '/values' && numbered)
        response.setHeader('content-type', 'application/json').end(JSON.stringify(numbered.all()));
      else response.writeHead(404).end();
    });
  }

  /** Returns its base URL. */
  async listen(host: string, port: number): Promise<string> {
    await new Promise<void>((listening, failed) => {
      this.server.once('error', failed);
      this.server.listen(port, host, listening);
    });
    return `http://${host}:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}
