import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';

export type AttributeValue = string | number | boolean;

/** OTLP span kinds. */
export const spanKinds = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;

export interface FinishedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: keyof typeof spanKinds;
  startMs: number;
  endMs: number;
  attributes: Record<string, AttributeValue>;
  /** Why it failed. */
  error: string | undefined;
}

export interface ExporterOptions {
  /** Base URL of an OTLP/HTTP receiver: spans go to `/v1/traces` below it. */
  endpoint: string;
  service: string;
  replica: string;
  logger: Logger;
  metrics: Metrics;
}

/** What waits for the receiver; more is dropped and counted. */
const waitingMax = 4_096;
const requestSpansMax = 512;
const periodMs = 2_000;
const timeoutMs = 5_000;

const valueOf = (value: AttributeValue): object => {
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'string') return { stringValue: value };
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

const attributesOf = (attributes: Record<string, AttributeValue>): object[] =>
  Object.entries(attributes).map(([key, value]) => ({ key, value: valueOf(value) }));

/** Nanoseconds, as text: a number cannot hold them. */
const nanos = (ms: number): string => String(BigInt(Math.round(ms * 1_000)) * 1_000n);

const failed = 2;

const spanOf = ({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, error }: FinishedSpan) => ({
  traceId,
  spanId,
  ...(parentSpanId !== undefined && { parentSpanId }),
  name,
  kind: spanKinds[kind],
  startTimeUnixNano: nanos(startMs),
  endTimeUnixNano: nanos(endMs),
  attributes: attributesOf(attributes),
  ...(error !== undefined && { status: { code: failed, message: error } }),
});

/** Sends spans over OTLP/HTTP in its JSON form (OpenTelemetry protocol 1.x), in batches. What cannot be sent is lost. */
export class OtlpExporter {
  private waiting: FinishedSpan[] = [];
  private sending: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly dropped;

  constructor(private readonly options: ExporterOptions) {
    this.timer = setInterval(() => void this.flush(), periodMs).unref();
    this.dropped = options.metrics.counter({
      name: 'lanyard_tracing_spans_dropped_total',
      help: 'Spans that did not reach the receiver of traces',
    });
  }

  add(span: FinishedSpan): void {
    if (this.waiting.length >= waitingMax) return this.dropped.inc();
    this.waiting.push(span);
    if (this.waiting.length >= requestSpansMax) void this.flush();
  }

  /** Resolves when what waits now was sent, or given up. */
  async flush(): Promise<void> {
    while (this.waiting.length > 0) await (this.sending ??= this.send().finally(() => (this.sending = undefined)));
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async send(): Promise<void> {
    const spans = this.waiting.splice(0, requestSpansMax);
    const { endpoint, service, replica, logger } = this.options;
    const resource = { attributes: attributesOf({ 'service.name': service, 'service.instance.id': replica }) };
    const body = {
      resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'lanyard' }, spans: spans.map(spanOf) }] }],
    };
    try {
      const response = await fetch(`${endpoint.replace(/\/$/, '')}/v1/traces`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(timeoutMs),
      });
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`answered ${response.status}`);
    } catch (err) {
      this.dropped.inc(spans.length);
      logger.debug({ err, spans: spans.length }, 'spans rejected by the trace receiver');
    }
  }
}
