import { describe, expect, it } from '@jest/globals';
import { chart } from './report.ts';
import { meanOf, slopePerHour } from './samples.ts';

const samples = Array.from({ length: 120 }, (_, minutes) => ({
  minutes,
  // Fills in the first quarter, then grows by 6 an hour.
  memory: minutes < 30 ? minutes * 10 : 300 + (minutes - 30) / 10,
}));

describe('samples of a soak', () => {
  it('have a slope per hour, without the time of warming up', () => {
    expect(slopePerHour(samples, 'memory')).toBeCloseTo(6);
  });

  it('without a figure do not count', () => {
    const [first = { minutes: 0, memory: 0 }] = samples;
    expect(slopePerHour([...samples, { ...first, minutes: 119.5, memory: NaN }], 'memory')).toBeCloseTo(6);
  });

  it('have a mean', () => {
    const cpu = [1, NaN, 3].map((percent, minutes) => ({ minutes, cpu: percent }));
    expect(meanOf(cpu, 'cpu')).toBe(2);
  });

  it('are drawn within their frame', () => {
    const svg = chart('memory', 'MB', ['memory'], samples);
    const points = /points="([^"]+)"/.exec(svg)?.[1]?.split(' ') ?? [];
    expect(points).toHaveLength(120);
    for (const [x, y] of points.map((point) => point.split(',').map(Number))) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(900);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(260);
    }
  });
});
