import { describe, expect, it } from '@jest/globals';
import { Latencies } from './latencies.js';

describe('latencies', () => {
  it('have quantiles that are at most a fifth too high', () => {
    const latencies = new Latencies();
    for (let ms = 1; ms <= 1_000; ms++) latencies.record(ms);
    for (const [share, exact] of [
      [0.5, 500],
      [0.99, 990],
    ] as const) {
      expect(latencies.quantile(share)).toBeGreaterThanOrEqual(exact);
      expect(latencies.quantile(share)).toBeLessThan(exact * 1.2);
    }
    expect(latencies.count).toBe(1_000);
  });

  it('take what is very short and very long', () => {
    const latencies = new Latencies();
    expect(latencies.quantile(0.5)).toBe(0);
    latencies.record(0);
    expect(latencies.quantile(1)).toBe(1);
    latencies.record(1e12);
    expect(latencies.quantile(1)).toBeGreaterThan(500_000);
  });
});
