import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace as openTelemetryApi,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';
import { ExportResultCode } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOnSampler, BatchSpanProcessor, type ReadableSpan, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Counter } from 'prom-client';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { formatTraceParent, type TraceParent } from './trace-parent.js';
import type { Span, SpanOptions, SpanRecorder } from './tracing.js';

export interface OpenTelemetryOptions {
  /** Base URL of an OTLP/HTTP receiver: spans go to `/v1/traces` below it. */
  endpoint: string;
  service: string;
  replica: string;
  logger: Logger;
  metrics: Metrics;
}

/** Spans that may wait for the receiver; more are dropped and counted. */
const waitingMax = 4_096;
const requestSpansMax = 512;
const periodMs = 2_000;
const timeoutMs = 5_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  producer: SpanKind.PRODUCER,
  consumer: SpanKind.CONSUMER,
} as const;

type Export = OTLPTraceExporter['export'];

/** Counts the spans that the receiver does not accept. */
class CountingExporter extends OTLPTraceExporter {
  waiting = 0;

  constructor(
    endpoint: string,
    private readonly dropped: Counter,
    private readonly logger: Logger,
  ) {
    super({ url: `${endpoint.replace(/\/$/, '')}/v1/traces`, timeoutMillis: timeoutMs });
  }

  override export(...[spans, done]: Parameters<Export>): void {
    super.export(spans, (result) => {
      this.waiting -= spans.length;
      if (result.code !== ExportResultCode.SUCCESS) {
        this.dropped.inc(spans.length);
        this.logger.debug({ err: result.error, spans: spans.length }, 'spans rejected by the trace receiver');
      }
      done(result);
    });
  }
}

/** Counts the spans that it drops while the receiver is slow. */
class CountingProcessor extends BatchSpanProcessor {
  constructor(
    private readonly exporter: CountingExporter,
    private readonly dropped: Counter,
  ) {
    super({
      exporter,
      maxQueueSize: waitingMax,
      maxExportBatchSize: requestSpansMax,
      scheduledDelayMillis: periodMs,
    });
  }

  override onEnd(span: ReadableSpan): void {
    if (this.exporter.waiting >= waitingMax) return this.dropped.inc();
    this.exporter.waiting++;
    super.onEnd(span);
  }
}

const startSpan = (
  tracer: Tracer,
  parent: TraceParent | undefined,
  name: string,
  { kind = 'internal', attributes = {}, startMs }: SpanOptions = {},
): Span => {
  const context = parent
    ? openTelemetryApi.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.SAMPLED, isRemote: true })
    : ROOT_CONTEXT;
  const span = tracer.startSpan(name, { kind: kinds[kind], attributes, startTime: startMs }, context);
  return {
    traceParent: formatTraceParent(span.spanContext()),
    end: (error) => {
      if (error !== undefined)
        span.setStatus({
          code: SpanStatusCode.ERROR,
          message: error instanceof Error ? error.message : String(error),
        });
      span.end();
    },
  };
};

/**
 * Records spans with OpenTelemetry's SDK and sends them over OTLP/HTTP in its JSON form, in batches. What cannot be sent is
 * lost. Imported only when tracing is on: the packages take 28 MB of memory.
 */
export const openTelemetry = ({ endpoint, service, replica, logger, metrics }: OpenTelemetryOptions): SpanRecorder => {
  const dropped = metrics.counter({
    name: 'lanyard_tracing_spans_dropped_total',
    help: 'Spans that did not reach the receiver of traces',
  });
  const exporter = new CountingExporter(endpoint, dropped, logger);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': service, 'service.instance.id': replica }),
    // `Tracing` starts only what is sampled.
    sampler: new AlwaysOnSampler(),
    spanProcessors: [new CountingProcessor(exporter, dropped)],
  });
  const tracer = provider.getTracer('lanyard');
  return {
    start: (parent, name, options) => startSpan(tracer, parent, name, options),
    // A rejected export is counted above.
    stop: () => provider.shutdown().catch(() => undefined),
  };
};
