/**
 * `npm run trace -- value|command [--count 1000] [--per-second 50] [--compare-fsync] [--json]`: measures, step by step, where
 * the time of a value or a command is spent, on a separate system with infrastructure as durable as under `npm start`.
 */
import { Redis } from 'ioredis';
import { Client } from 'pg';
import { command, wholeNumber } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';
import { say, Stop } from './lanyard/project.ts';
import { type Share, sharesOf, stepsOf } from './trace/steps.ts';
import type { InfrastructureUrls } from './lanyard/service-processes.ts';

const usage = `npm run trace -- value|command [--count 1000] [--per-second 50] [--compare-fsync] [--json]

  --compare-fsync  measures again while Redis and PostgreSQL do not wait for the disk: what that promise costs`;

const options = {
  count: { type: 'string', default: '1000' },
  'per-second': { type: 'string', default: '50' },
  'compare-fsync': { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
} as const;

/** Not measured, because connections are made and code is compiled during these. */
const warmUp = 200;

const table = (shares: readonly Share[]): string =>
  [
    `${''.padEnd(52)}${['p50 ms', 'p99 ms', 'mean ms', 'share'].map((head) => head.padStart(9)).join('')}`,
    ...shares.map(({ about, p50Ms, p99Ms, meanMs, share }) => {
      const figures = [p50Ms.toFixed(2), p99Ms.toFixed(2), meanMs.toFixed(2), `${Math.round(share * 100)} %`];
      return `${about.padEnd(52)}${figures.map((figure) => figure.padStart(9)).join('')}`;
    }),
  ].join('\n');

/** Both servers accept the setting while they run. */
const doNotWaitForTheDisk = async ({ redisUrl, databaseUrl }: InfrastructureUrls) => {
  const redis = new Redis(redisUrl);
  await redis.config('SET', 'appendfsync', 'everysec');
  redis.disconnect();
  const postgresql = new Client(databaseUrl);
  await postgresql.connect();
  await postgresql.query('ALTER SYSTEM SET fsync = off');
  await postgresql.query('SELECT pg_reload_conf()');
  await postgresql.end();
};

await command({ usage, options, allowPositionals: true, printsResult: true }, async ({ values, positionals }) => {
  const [what] = positionals;
  if ((what !== 'value' && what !== 'command') || positionals.length > 1) throw new Stop(usage);
  const load = {
    count: wholeNumber('count', values.count, 1),
    perSecond: wholeNumber('per-second', values['per-second'], 1),
  };
  await prepareSystem();
  const { startReporters } = await import('../bench/reporters.ts');
  const { BenchSystem } = await import('../bench/system.ts');
  const { TraceReceiver } = await import('./testing/trace-receiver.ts');
  const { commandTrips, valueTrips } = await import('./trace/trips.ts');
  const receiver = new TraceReceiver();
  const system = new BenchSystem(
    {},
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: await receiver.start(),
      OTEL_TRACES_SAMPLER_ARG: '1',
      GATEWAY_TRUST_TRACEPARENT: 'true',
    },
  );
  try {
    await system.start();
    const app = await system.application();
    await app.listen();
    const reporters = await startReporters(system, app, 'traced');
    const trips = what === 'value' ? valueTrips : commandTrips;
    const measure = async (title: string) => {
      say(title);
      const made = await trips(app, reporters, receiver, load);
      return { title, ...sharesOf(made, receiver.spans, stepsOf[what]) };
    };
    await trips(app, reporters, receiver, { ...load, count: warmUp });
    const results = [await measure('as shipped')];
    if (values['compare-fsync']) {
      await doNotWaitForTheDisk(system.infrastructureUrls);
      results.push(await measure('without waiting for the disk'));
    }
    const text = results.map(({ title, trips: n, shares }) => `${what}, ${title}: ${n} trips\n${table(shares)}\n`);
    process.stdout.write(values.json ? `${JSON.stringify({ what, load, results }, null, 2)}\n` : text.join('\n'));
    await Promise.all(reporters.map(({ device }) => device.close()));
    app.close();
    return results.every(({ trips: n }) => n > load.count * 0.9) ? 0 : 1;
  } finally {
    await system.stop();
    receiver.stop();
  }
});
