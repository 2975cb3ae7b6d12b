/** How the time of a journey is divided among its steps, from the spans of its trace. */
import { percentile } from '../../bench/statistics.ts';
import type { ReceivedSpan } from '../testing/trace-receiver.ts';

/** One value or one command, as the application saw it. Milliseconds since 1970. */
export interface Trip {
  leftAtMs: number;
  arrivedAtMs: number;
  traceId: string;
}

type Edge = 'start' | 'end';

/** A part of the journey that ends at a moment, which is the start or the end of a span. */
export interface Step {
  about: string;
  until: [span: string, edge: Edge] | 'arrived';
}

export const stepsOf: Record<'value' | 'command', readonly Step[]> = {
  value: [
    { about: 'device, network, CoAP', until: ['device-proxy: device-proxy notification', 'start'] },
    { about: 'device-proxy: decoded, waits for its batch', until: ['dispatcher: dispatcher append', 'start'] },
    { about: 'Kafka: stored, fetched by dispatcher', until: ['dispatcher: dispatcher deliver', 'start'] },
    { about: 'Redis: stored in the queue', until: ['dispatcher: dispatcher append', 'end'] },
    { about: 'dispatcher: message made and sent, gateway', until: 'arrived' },
  ],
  command: [
    { about: 'application, network', until: ['gateway: POST /v2/device-requests/:id', 'start'] },
    { about: 'gateway: key, limits, forwarded', until: ['device-proxy: POST /v2/device-requests/:id', 'start'] },
    { about: 'device-proxy: stored, reaches its replica', until: ['device-proxy: device-proxy command', 'start'] },
    { about: 'device: request and answer', until: ['device-proxy: device-proxy command', 'end'] },
    { about: 'device-proxy: result stored, waits for its batch', until: ['dispatcher: dispatcher append', 'start'] },
    { about: 'Kafka: stored, fetched by dispatcher', until: ['dispatcher: dispatcher deliver', 'start'] },
    { about: 'Redis: stored in the queue', until: ['dispatcher: dispatcher append', 'end'] },
    { about: 'dispatcher: message made and sent, gateway', until: 'arrived' },
  ],
};

export interface Share {
  about: string;
  p50Ms: number;
  p99Ms: number;
  meanMs: number;
  /** Share of the mean of the whole journey. */
  share: number;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const shareOf = (about: string, tookMs: readonly number[], wholeMs: number): Share => ({
  about,
  p50Ms: percentile(tookMs, 0.5),
  p99Ms: percentile(tookMs, 0.99),
  meanMs: mean(tookMs),
  share: mean(tookMs) / wholeMs,
});

/** The moment at which a step of a trip ended; undefined when its span is missing. */
const momentOf = ({ until }: Step, trip: Trip, spans: readonly ReceivedSpan[]) => {
  if (until === 'arrived') return trip.arrivedAtMs;
  const [name, edge] = until;
  const span = spans.findLast((one) => `${one.service}: ${one.name}` === name);
  return span && Number(BigInt(edge === 'start' ? span.startTimeUnixNano : span.endTimeUnixNano) / 1_000n) / 1_000;
};

/**
 * The last row is the whole journey. A step that began before the previous one ended (the message may be sent before the answer
 * of Redis was read) counts as zero. Trips without a complete trace are left out.
 */
export const sharesOf = (
  trips: readonly Trip[],
  spans: readonly ReceivedSpan[],
  steps: readonly Step[],
): { trips: number; shares: Share[] } => {
  const byTrace = Map.groupBy(spans, ({ traceId }) => traceId);
  const took: number[][] = steps.map(() => []);
  const whole: number[] = [];
  for (const trip of trips) {
    const ofTrip = byTrace.get(trip.traceId) ?? [];
    const moments = steps.flatMap((step) => momentOf(step, trip, ofTrip) ?? []);
    if (moments.length < steps.length) continue;
    let before = trip.leftAtMs;
    moments.forEach((moment, n) => {
      const until = Math.min(Math.max(moment, before), trip.arrivedAtMs);
      took[n]?.push(until - before);
      before = until;
    });
    whole.push(trip.arrivedAtMs - trip.leftAtMs);
  }
  const wholeMs = mean(whole);
  const shares = steps.map(({ about }, n) => shareOf(about, took[n] ?? [], wholeMs));
  return { trips: whole.length, shares: [...shares, shareOf('whole journey', whole, wholeMs)] };
};
