import { type LocalHttpServer, serve } from '@lanyard/testing';

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  /** Nanoseconds since 1970. */
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Readonly<Record<string, string>>;
}

type Attributes = { key: string; value: { stringValue?: string } }[];

interface Request {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'service' | 'attributes'> & { attributes: Attributes })[] }[];
  }[];
}

const textsOf = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? '']));

const spansOf = ({ resourceSpans }: Request): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource.attributes)['service.name'] ?? '';
    return scopeSpans.flatMap(({ spans }) =>
      spans.map((span) => ({ ...span, service, attributes: textsOf(span.attributes) })),
    );
  });

/** Receives traces over OTLP/HTTP in JSON, as a collector does. */
export class TraceReceiver {
  readonly spans: ReceivedSpan[] = [];
  private server: LocalHttpServer | undefined;

  async start(): Promise<string> {
    this.server = await serve((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.spans.push(...spansOf(JSON.parse(Buffer.concat(chunks).toString()) as Request));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    return this.server.url;
  }

  /** The spans of one trace as `service: name of the span`, in causal order. */
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
    this.server?.stop();
  }
}
