/** W3C Trace Context, level 1: `00-<32 hex>-<16 hex>-<flags>`. */
export interface TraceParent {
  traceId: string;
  spanId: string;
  sampled: boolean;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** undefined for anything else, also for ids of zeros. */
export const parseTraceParent = (text: string | undefined): TraceParent | undefined => {
  const [, traceId, spanId, flags] = (text !== undefined && form.exec(text)) || [];
  if (!traceId || !spanId || !flags || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & 1) === 1 };
};

/** The text for a span that is recorded. */
export const formatTraceParent = ({ traceId, spanId }: Pick<TraceParent, 'traceId' | 'spanId'>): string =>
  `00-${traceId}-${spanId}-01`;
