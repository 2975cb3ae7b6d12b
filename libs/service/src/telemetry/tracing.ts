import { randomBytes } from 'node:crypto';
import { type AttributeValue, type ExporterOptions, type FinishedSpan, OtlpExporter } from './otlp-exporter.js';
import { formatTraceParent, parseTraceParent } from './trace-parent.js';

export interface SpanOptions {
  kind?: FinishedSpan['kind'];
  attributes?: Record<string, AttributeValue>;
  /** When it began, when that was before now, in ms since the epoch. */
  startMs?: number;
}

/** A stretch of work that is recorded. */
export interface Span {
  /** To propagate the context: header `traceparent` of HTTP requests and of Kafka messages. */
  readonly traceParent: string;
  /** Once. `error` when it failed. */
  end(error?: unknown): void;
}

export interface TracingOptions extends Omit<ExporterOptions, 'endpoint'> {
  /** Off without one. */
  endpoint?: string;
  /** Of what begins here, from 0 to 1. What was begun elsewhere is followed when it is sampled there. */
  sampleRatio?: number;
}

const nowMs = (): number => performance.timeOrigin + performance.now();

/**
 * Spans by hand at the hops between services. Every method gives undefined when tracing is off or the trace is not
 * sampled, at the cost of a comparison.
 */
export class Tracing {
  private readonly exporter: OtlpExporter | undefined;
  private readonly sampleRatio: number;

  constructor({ endpoint, sampleRatio, ...rest }: TracingOptions) {
    this.exporter = endpoint === undefined ? undefined : new OtlpExporter({ endpoint, ...rest });
    this.sampleRatio = sampleRatio ?? 0;
  }

  /** Asked before anything is looked up for a span, such as a header. */
  get isOn(): boolean {
    return this.exporter !== undefined;
  }

  /** Begins a trace, for one in so many. */
  root(name: string, options?: SpanOptions): Span | undefined {
    return this.adopt(undefined, name, options);
  }

  /** As `root`, with a trace id from a client that does not decide on sampling. */
  adopt(traceParent: string | undefined, name: string, options?: SpanOptions): Span | undefined {
    if (!this.exporter || Math.random() >= this.sampleRatio) return undefined;
    const parent = parseTraceParent(traceParent);
    const traceId = parent?.traceId ?? randomBytes(16).toString('hex');
    return this.span(this.exporter, traceId, parent?.spanId, name, options);
  }

  /** Continues an existing trace. */
  follow(traceParent: string | null | undefined, name: string, options?: SpanOptions): Span | undefined {
    if (!this.exporter || !traceParent) return undefined;
    const parent = parseTraceParent(traceParent);
    return parent?.sampled ? this.span(this.exporter, parent.traceId, parent.spanId, name, options) : undefined;
  }

  /** Sends what waits. */
  async stop(): Promise<void> {
    await this.exporter?.stop();
  }

  private span(
    exporter: OtlpExporter,
    traceId: string,
    parentSpanId: string | undefined,
    name: string,
    { kind = 'internal', attributes = {}, startMs = nowMs() }: SpanOptions = {},
  ): Span {
    const spanId = randomBytes(8).toString('hex');
    return {
      traceParent: formatTraceParent({ traceId, spanId }),
      end: (error) =>
        exporter.add({
          ...{ traceId, spanId, parentSpanId, name, kind, startMs, attributes },
          endMs: Math.max(startMs, nowMs()),
          error: error === undefined ? undefined : error instanceof Error ? error.message : String(error),
        }),
    };
  }
}

/** Runs work within a span, if there is one. */
export const within = async <T>(span: Span | undefined, work: () => Promise<T>): Promise<T> => {
  if (!span) return work();
  try {
    const result = await work();
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
};
