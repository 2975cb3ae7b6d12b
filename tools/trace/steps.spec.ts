import { describe, expect, it } from '@jest/globals';
import type { ReceivedSpan } from '../testing/trace-receiver.ts';
import { sharesOf, type Step } from './steps.ts';

const steps: Step[] = [
  { about: 'first', until: ['one: a', 'start'] },
  { about: 'second', until: ['one: a', 'end'] },
  { about: 'third', until: 'arrived' },
];

const span = (traceId: string, startMs: number, endMs: number): ReceivedSpan => ({
  service: 'one',
  name: 'a',
  traceId,
  spanId: traceId,
  attributes: {},
  startTimeUnixNano: String(BigInt(startMs) * 1_000_000n),
  endTimeUnixNano: String(BigInt(endMs) * 1_000_000n),
});

describe('the steps of a journey', () => {
  it('share its time', () => {
    const trips = [{ traceId: 't', leftAtMs: 1_000, arrivedAtMs: 1_100 }];
    const { shares } = sharesOf(trips, [span('t', 1_010, 1_040)], steps);
    expect(shares.map(({ about, p50Ms, share }) => [about, p50Ms, share])).toEqual([
      ['first', 10, 0.1],
      ['second', 30, 0.3],
      ['third', 60, 0.6],
      ['whole journey', 100, 1],
    ]);
  });

  it('one that began before the one before it ended took nothing', () => {
    const trips = [{ traceId: 't', leftAtMs: 1_000, arrivedAtMs: 1_100 }];
    const { shares } = sharesOf(trips, [span('t', 1_050, 1_300)], steps);
    expect(shares.map(({ meanMs }) => meanMs)).toEqual([50, 50, 0, 100]);
  });

  it('journeys whose trace is not complete are left out', () => {
    const trips = ['t', 'u'].map((traceId) => ({ traceId, leftAtMs: 0, arrivedAtMs: 10 }));
    expect(sharesOf(trips, [span('u', 1, 2)], steps).trips).toBe(1);
  });
});
