/** Kafka, PostgreSQL and Redis: servers that run elsewhere are used, the others are started. */
import { ensureDatabaseUsers } from './database-users.ts';
import { kafka, postgresql, redis, type ServerSpec } from './infrastructure-processes.ts';
import { fetchInfrastructure } from './fetch-infrastructure.ts';
import { stopLeftOvers } from './left-overs.ts';
import { tcpPort } from './ports.ts';
import { answers, serverPorts, splitAddress, waitUntil } from './probes.ts';
import { isProcess, launch, processOf, stopProcess } from './processes.ts';
import { say as toTerminal } from './project.ts';
import type { InfrastructurePasswords, Unit } from './state.ts';
import type { InfrastructureUrls } from './service-processes.ts';

/**
 * `host`: the address at which Kafka, PostgreSQL and Redis listen if they are started here;
 * `secrets`: without `servicePasswords`, services have no users of their own; without `redisPassword`, Redis requires none;
 * `interrupted`: when this is aborted, everything that was started is stopped again
 */
interface InfrastructureOptions {
  dataDir: string;
  logs: string;
  secrets: { databasePassword: string } & Partial<InfrastructurePasswords>;
  state: { ports: Record<string, number> };
  launchUnit: (unit: Unit, launch: () => number) => void;
  leftOvers: Unit[];
  infrastructure?: Partial<InfrastructureUrls>;
  freePorts?: boolean;
  fast?: boolean;
  host?: string;
  interrupted?: AbortSignal;
  say?: (text: string) => void;
}

const versions = { kafka: '4.1.1', postgresql: '18.1', redis: '6.2' };
const usualPorts = { ...serverPorts, 'kafka-controller': 9093 };

/** Reads KAFKA_BROKERS, DATABASE_URL and REDIS_URL, each of which may be given alone. */
export const externalInfrastructure = (): Partial<InfrastructureUrls> => ({
  ...(process.env.KAFKA_BROKERS && { brokers: process.env.KAFKA_BROKERS }),
  ...(process.env.DATABASE_URL && { databaseUrl: process.env.DATABASE_URL }),
  ...(process.env.REDIS_URL && { redisUrl: process.env.REDIS_URL }),
});

/**
 * The first host and port, without user and password.
 * @param address a URL or a list of host:port
 */
export const publicAddress = (address: string) =>
  address
    .replace(/^[^:/]+:\/\//, '')
    .replace(/^[^@/]*@/, '')
    .split(/[,/?]/, 1)[0] ?? '';

/** Whether the server expects TLS: then it counts as ready when its port is open, because the probes have no TLS. */
const expectsTls = (name: string, address: string) =>
  /^rediss|[?&]sslmode=(?!disable)/.test(address) ||
  /^(true|1|yes|on)$/i.test(
    {
      kafka: process.env.KAFKA_TLS_ENABLED,
      postgresql: process.env.DATABASE_TLS_ENABLED,
      redis: process.env.REDIS_TLS_ENABLED,
    }[name] ?? '',
  );

/** Whether a URL or a list of host:port, if it is given, leads to another server than the one at this address. */
const leadsElsewhere = (given: string | undefined, name: keyof typeof serverPorts, address: string) => {
  if (given === undefined) return false;
  const [host, port] = splitAddress(publicAddress(given), serverPorts[name]);
  return address !== `${host === 'localhost' ? '127.0.0.1' : host}:${port}`;
};

/** Stops servers that a killed start left behind, and in whose place others are used now that run elsewhere. */
const stopReplaced = async (
  leftOvers: readonly Unit[],
  { brokers, databaseUrl, redisUrl }: Partial<InfrastructureUrls>,
  say: (text: string) => void,
) => {
  const given = { kafka: brokers, postgresql: databaseUrl, redis: redisUrl };
  const replaced = leftOvers.filter(({ kind, name, address }) => {
    const server = name as keyof typeof given;
    return kind === 'infrastructure' && leadsElsewhere(given[server], server, address);
  });
  const stopped = await stopLeftOvers(replaced);
  if (stopped > 0) say(`stopped ${stopped} servers of this clone: others are used in their place`);
};

/**
 * Resolves when all three servers answer. If one does not, stops those that do not run elsewhere, and throws the
 * reason. `units` of the result are all servers; `supervised` are those that do not run elsewhere.
 */
export const startInfrastructure = async ({
  dataDir,
  logs,
  secrets: { databasePassword, servicePasswords, redisPassword },
  state,
  launchUnit,
  leftOvers,
  infrastructure = {},
  freePorts = false,
  fast = false,
  host = '127.0.0.1',
  interrupted,
  say = toTerminal,
}: InfrastructureOptions) => {
  await stopReplaced(leftOvers, infrastructure, say);
  const { ports } = state;
  const launched: Unit[] = [];
  let fetched: Promise<string> | undefined;
  const folders = async () => {
    const binaries = await (fetched ??= fetchInfrastructure());
    return { binaries, data: dataDir, logs, fast, host };
  };
  /** A server that a killed start left behind, and that still runs. */
  const leftOver = (name: string) =>
    leftOvers.find((u) => u.kind === 'infrastructure' && u.name === name && !u.external && processOf(u) !== undefined);
  const choosePort = async (name: keyof typeof usualPorts, running: Unit | undefined) => {
    if (!running) ports[name] = await tcpPort(ports[name] ?? (freePorts ? 0 : usualPorts[name]), host);
    return ports[name] ?? 0;
  };
  const start = async (
    name: 'kafka' | 'postgresql' | 'redis',
    elsewhere: string | undefined,
    prepare: (port: number) => Promise<ServerSpec>,
  ) => {
    const version = elsewhere ? 'external' : versions[name];
    const server = { kind: 'infrastructure', name, version } as const;
    if (elsewhere) {
      const address = publicAddress(elsewhere);
      const tls = expectsTls(name, elsewhere);
      const probe = () => (tls ? answers.listener(address, usualPorts[name]) : answers[name](address));
      await waitUntil(`${name} at ${address}`, probe, {
        timeoutMs: 30_000,
        hint: 'It was named in the environment.',
      });
      say(`${name} at ${address} (runs elsewhere)`);
      const unit: Unit = { ...server, address, marker: '', restarts: 0, external: true, tls, stopSignal: 'SIGTERM' };
      return { unit, launch: () => 0 };
    }
    const left = leftOver(name);
    const pid = left && processOf(left);
    // It belongs to this start from here on: if the rest fails, it is stopped too, because the caller forgets it.
    if (left) launched.push({ ...left, ...(pid && { pid }) });
    const address = `${host}:${await choosePort(name, left)}`;
    const spec = await prepare(ports[name] ?? 0);
    const launchServer = () => launch(spec);
    const { marker, signature, stopSignal } = spec;
    const restarts = left?.restarts ?? 0;
    const unit: Unit = { ...server, ...(pid && { pid }), address, marker, signature, restarts, stopSignal };
    if (!left) {
      launchUnit(unit, launchServer);
      launched.push(unit);
    }
    await waitUntil(name, () => answers[name](address), {
      alive: () => !interrupted?.aborted && isProcess(unit.pid, marker),
      hint: `See ${spec.logFile}`,
    });
    say(`${name} ${version} at ${address}${left ? ' (was still running)' : ''}`);
    return { unit, launch: launchServer };
  };
  const databaseUrl = () =>
    infrastructure.databaseUrl ?? `postgres://lanyard:${databasePassword}@${host}:${ports['postgresql']}/postgres`;
  let databaseUrls: InfrastructureUrls['databaseUrls'];
  const outcomes = await Promise.allSettled([
    start('redis', infrastructure.redisUrl, async (port) => redis(await folders(), port, redisPassword)),
    start('postgresql', infrastructure.databaseUrl, async (port) =>
      postgresql(await folders(), port, databasePassword),
    ).then(async (started) => {
      if (servicePasswords && !infrastructure.databaseUrl)
        databaseUrls = await ensureDatabaseUsers(databaseUrl(), servicePasswords);
      return started;
    }),
    start('kafka', infrastructure.brokers, async (port) => {
      return kafka(await folders(), port, await choosePort('kafka-controller', leftOver('kafka')));
    }),
  ]);
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) {
    await Promise.all(launched.map((unit) => stopProcess(unit.pid, { signal: unit.stopSignal })));
    throw failed.reason;
  }
  const supervised = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  return {
    supervised: supervised.filter((s) => !s.unit.external),
    units: supervised.map((s) => s.unit),
    urls: {
      brokers: infrastructure.brokers ?? `${host}:${ports['kafka']}`,
      databaseUrl: databaseUrl(),
      ...(databaseUrls && { databaseUrls }),
      redisUrl:
        infrastructure.redisUrl ?? `redis://${redisPassword ? `:${redisPassword}@` : ''}${host}:${ports['redis']}`,
    } as InfrastructureUrls,
  };
};
