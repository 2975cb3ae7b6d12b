/** Separate Kafka, PostgreSQL and Redis for this run, because they are killed, stopped, cut and wiped. */
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, postgresql, redis, type ServerSpec } from '../tools/lanyard/infrastructure-processes.ts';
import { fetchInfrastructure } from '../tools/lanyard/fetch-infrastructure.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers } from '../tools/lanyard/probes.ts';
import { ManagedProcess } from '../tools/testing/managed-process.ts';

const password = 'lanyard';

export class Server extends ManagedProcess {
  port: number;
  /** The data folder of PostgreSQL or Redis. */
  data: string;

  constructor(name: 'kafka' | 'postgresql' | 'redis', spec: ServerSpec, port: number, data: string = spec.marker) {
    super(name, spec, () => answers[name](`127.0.0.1:${port}`));
    this.port = port;
    this.data = data;
  }
}

export class RedisServer extends Server {
  args = this.spec.args;

  /** Takes effect at the next start. */
  set appendFsync(fsync: 'always' | 'everysec') {
    this.spec.args = this.args.map((arg) => (arg === 'always' ? fsync : arg));
  }

  get logBytes() {
    return statSync(join(this.data, 'appendonly.aof')).size;
  }

  /**
   * Truncates the log, as if its last bytes had never reached the disk.
   * @param bytes that remain
   */
  truncateLog(bytes: number) {
    truncateSync(join(this.data, 'appendonly.aof'), Math.max(0, bytes));
  }

  /** Deletes all data, as if the disk had been replaced. */
  wipe() {
    rmSync(this.data, { recursive: true, force: true });
    mkdirSync(this.data, { recursive: true });
  }
}

export interface Shared {
  brokers: string[];
  databaseUrl: string;
}

/** Kafka and PostgreSQL are shared by the rows of the run. Each row has its own Redis. */
export class Infrastructure {
  brokers: string[];
  databaseUrl: string;
  binaries: string;
  own: { kafka: Server; postgresql: Server } | undefined;

  constructor({ brokers, databaseUrl }: Shared, binaries: string, own?: Infrastructure['own']) {
    this.brokers = brokers;
    this.databaseUrl = databaseUrl;
    this.binaries = binaries;
    this.own = own;
  }

  /** For rows that do not disturb Kafka and PostgreSQL. */
  static async use(shared: Shared) {
    return new Infrastructure(shared, await fetchInfrastructure());
  }

  static async start(
    data: string,
    {
      fast = true,
      kafkaProperties = () => '',
    }: { fast?: boolean; kafkaProperties?: (ports: { kafka: number; controller: number }) => string } = {},
  ) {
    const binaries = await fetchInfrastructure();
    const folders = { binaries, data, logs: join(data, 'logs'), fast };
    const ports = { kafka: await tcpPort(0), controller: await tcpPort(0), pg: await tcpPort(0) };
    const broker = kafka(folders, ports.kafka, ports.controller, { properties: kafkaProperties(ports), format: [] });
    const infrastructure = new Infrastructure(
      {
        brokers: [`127.0.0.1:${ports.kafka}`],
        databaseUrl: `postgres://lanyard:${password}@127.0.0.1:${ports.pg}/postgres`,
      },
      binaries,
      {
        kafka: new Server('kafka', broker, ports.kafka),
        postgresql: new Server('postgresql', postgresql(folders, ports.pg, password), ports.pg),
      },
    );
    try {
      await infrastructure.heal();
    } catch (error) {
      await infrastructure.stop();
      throw error;
    }
    return infrastructure;
  }

  /** Only used by rows that run alone on the infrastructure of the run. */
  get kafka() {
    return this.owned.kafka;
  }

  get postgresql() {
    return this.owned.postgresql;
  }

  /** @param data folder of a row */
  async startRedis(data: string) {
    const port = await tcpPort(0);
    const spec = redis({ binaries: this.binaries, data, logs: data, fast: true }, port);
    const server = new RedisServer('redis', spec, port, join(data, 'redis'));
    await server.start();
    return server;
  }

  async heal() {
    await Promise.all([this.own?.kafka.heal(), this.own?.postgresql.heal()]);
  }

  async stop() {
    await Promise.all([this.own?.kafka.stop(), this.own?.postgresql.stop()]);
  }

  get owned() {
    if (!this.own) throw new Error('this row breaks infrastructure that other rows use too');
    return this.own;
  }
}
