import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { type Fleet, ratesOf, usualFleet, usualPrices } from './fleet.ts';
import { planOf } from './plan.ts';
import { planText } from './report.ts';
import { type UnitCost, unitCosts } from './unit-costs.ts';

const plan = (changes: Partial<Fleet>) => planOf({ ...usualFleet, ...changes }, usualPrices);
const part = (changes: Partial<Fleet>, name: string) => plan(changes).parts.find((one) => one.name === name)!;

describe('capacity', () => {
  it('rates are those of the whole fleet', () => {
    const fleet = { ...usualFleet, devices: 86_400, observed: 2, valueSeconds: 10, updateSeconds: 100, channels: 3 };
    expect(ratesOf({ ...fleet, recoverySeconds: 60 })).toEqual({
      values: 17_280,
      updates: 864,
      registrations: 1_440,
      commands: 1,
      requests: 6,
      events: 3 * 17_281,
    });
  });

  it('a small fleet gets two replicas of each service, and a spare device-proxy', () => {
    const { parts } = plan({ devices: 1_000 });
    const services = parts.filter(({ name }) => !['Kafka', 'Redis', 'PostgreSQL'].includes(name));
    expect(services.map(({ replicas }) => replicas)).toEqual([3, 2, 2, 2, 2, 2, 2]);
  });

  it('memory decides for many quiet devices, the processor for few busy ones', () => {
    expect(part({ devices: 1e6, valueSeconds: 1e5, dtlsShare: 0 }, 'device-proxy').because).toBe('memory');
    expect(part({ devices: 1e5, valueSeconds: 1 }, 'device-proxy').because).toBe('processor');
  });

  it('replicas without the spare have room for the connections', () => {
    const dtls = { devices: 1e6, dtlsShare: 0.5, dtlsConnections: 100_000 };
    expect(part(dtls, 'device-proxy')).toMatchObject({ replicas: 6, because: 'DTLS connections' });
    expect(part({ ...dtls, dtlsConnections: 500_000 }, 'device-proxy')).toMatchObject({ replicas: 3 });
    const tls = { devices: 1e6, dtlsShare: 0, tlsShare: 0.1, tlsConnections: 20_000 };
    expect(part(tls, 'device-proxy')).toMatchObject({ replicas: 6, because: 'TLS connections' });
  });

  it('the report names the settings that differ from the shipped ones', () => {
    const text = (changes: Partial<Fleet>) =>
      planText({ ...usualFleet, ...changes }, plan(changes), usualPrices)
        .split('\n')
        .find((line) => line.includes('--max-old-space-size'));
    expect(text({})).toMatch(/: 4 GiB of memory \(.*\), `--max-old-space-size=2867` in `NODE_OPTIONS` \(.*\)\.$/);
    expect(text({ dtlsConnections: 400_000 })).toContain('`DEVICE_PROXY_COAP_DTLS_CONNECTIONS_MAX=400000`');
  });

  it('more devices never take less of anything', () => {
    const totals = [1e3, 1e5, 1e6, 1e7, 1e8].map((devices) => plan({ devices }).price);
    expect(totals.toSorted((a, b) => a - b)).toEqual(totals);
    expect(new Set(totals).size).toBe(totals.length);
  });

  it('the first bottleneck is the one that the fewest devices reach', () => {
    const quiet = plan({ valueSeconds: 1e6, recoverySeconds: 1e6 }).limits;
    expect(quiet[0]!.name).toContain('copy of the whole directory');
    const busy = plan({ valueSeconds: 1, channels: 20 }).limits;
    expect(busy[0]!.name).toContain('partitions');
    expect(busy.map(({ devices }) => devices)).toEqual(busy.map(({ devices }) => devices).toSorted((a, b) => a - b));
  });

  it('a limit does not depend on how many devices were asked for', () => {
    expect(plan({ devices: 1e8 }).limits).toEqual(plan({ devices: 2e8 }).limits);
  });

  it('the report says which bottleneck is reached', () => {
    const text = (devices: number) =>
      planText({ ...usualFleet, devices }, plan({ devices }), usualPrices)
        .split('\n')
        .at(-1);
    expect(text(1e6)).toMatch(/^\*\*The next bottleneck\*\*/);
    expect(text(1e8)).toMatch(/^- Also reached/);
  });

  const page = readFileSync(new URL('../../docs/performance.md', import.meta.url), 'utf8').replaceAll(
    /\n(?![|\n])/g,
    ' ',
  );

  /** The rows of a benchmark in the table of figures, and the paragraph about it. */
  const aboutOf = (benchmark: string) => {
    const lines = page.split('\n');
    const first = lines.findIndex((line) => line.startsWith(`| \`${benchmark}\``));
    const rows = lines.slice(first + 1).findIndex((line) => !/^\| +\|/.test(line));
    return [
      ...lines.slice(first, first + 1 + rows),
      ...lines.filter((line) => line.startsWith(` **\`${benchmark}\``)),
    ].join('\n');
  };

  const costs: [string, UnitCost][] = Object.entries(unitCosts);

  it.each(costs.filter(([, { measured }]) => measured))('%s is a figure of docs/performance.md', (_, { measured }) => {
    expect(aboutOf(measured!.benchmark)).toContain(measured!.figure);
  });
});
