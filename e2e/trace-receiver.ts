import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
}

interface Request {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<ReceivedSpan, 'service'>[] }[];
  }[];
}

const spansOf = ({ resourceSpans }: Request): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
    return scopeSpans.flatMap(({ spans }) => spans.map((span) => ({ ...span, service })));
  });

/** Takes traces over OTLP/HTTP in JSON, as a collector does. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString()) as Request));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  async start(): Promise<string> {
    await new Promise<void>((listening) => this.server.listen(0, '127.0.0.1', listening));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Of one trace: `service: name of the span`, in the order of who caused whom. */
  path(traceId: string): string[] {
    const own = this.spans.filter((span) => span.traceId === traceId);
    const below = (parent: ReceivedSpan): ReceivedSpan[] => [
      parent,
      ...own.filter(({ parentSpanId }) => parentSpanId === parent.spanId).flatMap(below),
    ];
    const roots = own.filter(({ parentSpanId }) => !own.some(({ spanId }) => spanId === parentSpanId));
    return roots.flatMap(below).map(({ service, name }) => `${service}: ${name}`);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}
