import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { defaultStopTimeoutMs, firstAnswerTimeoutMs } from '@lanyard/service';
import { eventually, type Isolation, isolate } from '@lanyard/testing';
import { type App, apps, type ServerName, serverNames, type Fault, ServiceProcess } from '../service-process.ts';

/** What a process needs beside the waiting of which this is about, on a machine that is busy. */
const processMs = 40_000;

/** `checkTimeoutMs` of Health, and a busy machine. */
const probeMs = 20_000;

/** After it a start that was asked to stop ends, and a process of which something is left (run-service.ts). */
const startEndsMs = 5_000;
const exitMs = 2_000;

const usesRedis: readonly App[] = ['gateway', 'device-proxy', 'dispatcher'];
const serversOf = (app: App): ServerName[] => serverNames.filter((name) => name !== 'Redis' || usesRedis.includes(app));

/** The gateway counts rates alone without Redis. */
const starts = (app: App, server: ServerName): boolean => app === 'gateway' && server === 'Redis';

/** The others work without Kafka, or without Redis, until it is back: docs/operations.md. */
const isUnready = (app: App, server: ServerName): boolean =>
  server === 'PostgreSQL' || app === 'device-proxy' || app === 'dispatcher';

const pairs = apps.flatMap((app) => serversOf(app).map((server) => ({ app, server })));
const faults: readonly Fault[] = ['refuses', 'never answers'];

/** Processes that begin at the same time: each needs a core for a second or two. */
const beginningAtOnce = 2;

describe('infrastructure that is away', () => {
  let isolation: Isolation;
  let launched = 0;
  const beginning: Promise<unknown>[] = [];
  const running = new Map<App, ServiceProcess>();
  const all: ServiceProcess[] = [];

  beforeAll(async () => {
    isolation = await isolate('infrastructure-down');
  });

  afterAll(async () => {
    await Promise.all(all.map((service) => service.close()));
    await isolation?.drop();
  });

  /** Resolves when it asks for PostgreSQL, which each service needs first: from then on, it waits for its infrastructure. */
  const launch = async (app: App, fault?: Fault, faulty?: readonly ServerName[]): Promise<ServiceProcess> => {
    const n = launched++;
    const before = beginning[n - beginningAtOnce];
    const begun = (async () => {
      await before;
      const service = await ServiceProcess.create(app, `${app}-${n}`, isolation, fault, faulty);
      all.push(service);
      await eventually(() => service.hasTriedConnecting('PostgreSQL'));
      return service;
    })();
    beginning[n] = begun.catch(() => undefined);
    return begun;
  };

  /** All at once; what was not as it should be, of all of them. */
  const together = async <C>(
    cases: readonly C[],
    examine: (each: C) => Promise<string | undefined>,
  ): Promise<string[]> => {
    const wrong = await Promise.all(
      cases.map(async (each) => {
        const problem = await examine(each).catch((error: unknown) => String(error));
        return problem === undefined ? [] : [`${JSON.stringify(each)}: ${problem}`];
      }),
    );
    return wrong.flat();
  };

  const stops = async (service: ServiceProcess): Promise<string | undefined> => {
    const { code, ms } = await service.end('SIGTERM');
    return code === 0 && ms < defaultStopTimeoutMs + exitMs + probeMs ? undefined : `code ${code} after ${ms} ms`;
  };

  it('is slow while services start: they start', async () => {
    const wrong = await together(apps, async (app) => {
      const service = await launch(app, 'is slow', serversOf(app));
      await service.ready();
      service.repair();
      // The first process of a program that ends writes what V8 compiled (NODE_COMPILE_CACHE): no end below is timed with that.
      await service.end('SIGTERM');
      return undefined;
    });
    expect(wrong).toEqual([]);
  }, 1_800_000);

  it('while services run: readiness says so in time, and that it is back', async () => {
    const wrong = await together(apps, async (app) => {
      const service = await launch(app);
      await service.ready();
      running.set(app, service);
      for (const server of serversOf(app))
        for (const fault of faults) {
          const attempts = service.connectionAttempts(server);
          service.disturb(fault, [server]);
          const wanted = isUnready(app, server) ? 503 : 200;
          // One that stays ready has noticed when it connects again. An idle gateway asks nothing of Kafka.
          if (fault === 'refuses' && wanted === 200 && !(app === 'gateway' && server === 'Kafka'))
            await eventually(() => service.connectionAttempts(server) > attempts);
          // The next answer may differ: on a busy machine, a server without a fault may exceed the time of its check.
          const ready = await eventually(
            async () => {
              const probe = await service.probe('/readyz');
              expect(probe.status).toBe(wanted);
              return probe;
            },
            { timeoutMs: processMs },
          );
          const healthy = await service.probe('/healthz');
          if (ready.ms > probeMs) return `${server} ${fault}: ${JSON.stringify(ready)}`;
          if (healthy.status !== 200 || healthy.ms > probeMs) return `${server} ${fault}: ${JSON.stringify(healthy)}`;
          service.repair();
          await service.ready().catch((error: unknown) => {
            throw new Error(`not back after ${server} ${fault}: ${String(error)}`);
          });
        }
      return undefined;
    });
    expect(wrong).toEqual([]);
  });

  it('refuses when services are asked to stop: they end in time, with code 0', async () => {
    const wrong = await together([...running.keys()], async (app) => {
      const service = running.get(app) as ServiceProcess;
      service.disturb('refuses', serverNames);
      return stops(service);
    });
    expect(wrong).toEqual([]);
  });

  /** They wait most of their time: each is begun when the ones before it have asked for their infrastructure. */
  describe('services of their own', () => {
    let [starting, stopping, stoppedEarly]: Promise<string[]>[] = [];

    beforeAll(() => {
      const silent = pairs.map((pair) => ({ ...pair, fault: 'never answers' as const }));
      const refused = serverNames.map((server) => ({
        app: 'dispatcher' as const,
        server,
        fault: 'refuses' as const,
      }));
      starting = together([...silent, ...refused], async ({ app, server, fault }) => {
        const service = await launch(app, fault, [server]);
        if (starts(app, server)) {
          await service.ready();
          return stops(service);
        }
        await eventually(() => service.hasTriedConnecting(server));
        const { code, ms } = await service.end();
        if (code !== 1 || ms > firstAnswerTimeoutMs + processMs) return `code ${code} after ${ms} ms`;
        return new RegExp(`^${server} at \\S+ cannot be reached: .+`, 'm').test(service.output)
          ? undefined
          : service.output.slice(-800);
      });
      stopping = together(pairs, async ({ app, server }) => {
        const service = await launch(app);
        await service.ready();
        service.disturb('never answers', [server]);
        return stops(service);
      });
      stoppedEarly = together(apps, async (app) => {
        const service = await launch(app, 'never answers', ['Kafka']);
        await eventually(() => service.hasTriedConnecting('Kafka'));
        const { code, ms } = await service.end('SIGTERM');
        return code === 1 && ms < startEndsMs + exitMs + probeMs ? undefined : `code ${code} after ${ms} ms`;
      });
    });

    it('while they start: they end in time and name it, or do without it', async () => {
      expect(await starting).toEqual([]);
    }, 1_800_000);

    it('never answers when they are asked to stop: they end in time, with code 0', async () => {
      expect(await stopping).toEqual([]);
    }, 1_800_000);

    it('never answers when they are asked to stop before they have started: they end in time', async () => {
      expect(await stoppedEarly).toEqual([]);
    });
  });
});
