import { parseTraceParent, type TraceParent } from './trace-parent.js';

export type SpanKind = 'internal' | 'server' | 'client' | 'producer' | 'consumer';

export interface SpanOptions {
  kind?: SpanKind;
  attributes?: Record<string, string | number | boolean>;
  /** When it began, when that was before now, in ms since the epoch. */
  startMs?: number;
}

/** A stretch of work that is recorded. */
export interface Span {
  /** To propagate the context: header `traceparent` of HTTP requests and of Kafka messages. */
  readonly traceParent: string;
  /** Called once. `error`: why the work failed. */
  end(error?: unknown): void;
}

/** What `openTelemetry` provides. */
export interface SpanRecorder {
  start(parent: TraceParent | undefined, name: string, options?: SpanOptions): Span;
  /** Sends the spans that wait. */
  stop(): Promise<void>;
}

/**
 * Starts spans where requests and messages pass between services; nothing is instrumented automatically. Every method
 * that starts a span returns undefined when tracing is off or the trace is not sampled, at the cost of a comparison.
 */
export class Tracing {
  /**
   * @param recorder Tracing is off without one.
   * @param sampleRatio Share of the traces begun here that is sampled, 0 to 1. A trace that began in another service is
   * continued if it is sampled there.
   */
  constructor(
    private readonly recorder?: SpanRecorder,
    private readonly sampleRatio = 0,
  ) {}

  /** Asked before anything is looked up for a span, such as a header. */
  get isOn(): boolean {
    return this.recorder !== undefined;
  }

  /** Begins a trace, for the sampled share of calls. */
  root(name: string, options?: SpanOptions): Span | undefined {
    return this.adopt(undefined, name, options);
  }

  /** As `root`, with a trace id from a client that does not decide on sampling. */
  adopt(traceParent: string | undefined, name: string, options?: SpanOptions): Span | undefined {
    if (!this.recorder || Math.random() >= this.sampleRatio) return undefined;
    return this.recorder.start(parseTraceParent(traceParent), name, options);
  }

  /** Continues an existing trace. */
  follow(traceParent: string | null | undefined, name: string, options?: SpanOptions): Span | undefined {
    if (!this.recorder || !traceParent) return undefined;
    const parent = parseTraceParent(traceParent);
    return parent?.sampled ? this.recorder.start(parent, name, options) : undefined;
  }

  /** Sends the spans that wait. */
  async stop(): Promise<void> {
    await this.recorder?.stop();
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
