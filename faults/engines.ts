/** Kafka, PostgreSQL and Redis of this run alone, because they are killed, stopped, cut and wiped. */
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, postgresql, redis, type EngineSpec } from '../tools/lanyard/engine-processes.ts';
import { fetchEngines } from '../tools/lanyard/fetch-engines.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers } from '../tools/lanyard/probes.ts';
import { ManagedProcess } from '../tools/testing/managed-process.ts';

const password = 'lanyard';

export class Engine extends ManagedProcess {
  port: number;
  /** Its folder, of PostgreSQL and Redis. */
  data: string;

  constructor(name: 'kafka' | 'postgresql' | 'redis', spec: EngineSpec, port: number, data: string = spec.marker) {
    super(name, spec, () => answers[name](`127.0.0.1:${port}`));
    this.port = port;
    this.data = data;
  }
}

export class RedisEngine extends Engine {
  args = this.spec.args;

  /** From the next start. */
  set appendFsync(fsync: 'always' | 'everysec') {
    this.spec.args = this.args.map((arg) => (arg === 'always' ? fsync : arg));
  }

  get logBytes() {
    return statSync(join(this.data, 'appendonly.aof')).size;
  }

  /**
   * As if the last bytes had never reached the disk.
   * @param bytes that stay
   */
  truncateLog(bytes: number) {
    truncateSync(join(this.data, 'appendonly.aof'), Math.max(0, bytes));
  }

  /** As if its disk had been replaced. */
  wipe() {
    rmSync(this.data, { recursive: true, force: true });
    mkdirSync(this.data, { recursive: true });
  }
}

export interface Shared {
  brokers: string[];
  databaseUrl: string;
}

/** Kafka and PostgreSQL are those of the run; each row has a Redis of its own. */
export class Engines {
  brokers: string[];
  databaseUrl: string;
  binaries: string;
  own: { kafka: Engine; postgresql: Engine } | undefined;

  constructor({ brokers, databaseUrl }: Shared, binaries: string, own?: Engines['own']) {
    this.brokers = brokers;
    this.databaseUrl = databaseUrl;
    this.binaries = binaries;
    this.own = own;
  }

  /** For rows that leave Kafka and PostgreSQL alone. */
  static async use(shared: Shared) {
    return new Engines(shared, await fetchEngines());
  }

  static async start(
    data: string,
    {
      fast = true,
      kafkaProperties = () => '',
    }: { fast?: boolean; kafkaProperties?: (ports: { kafka: number; controller: number }) => string } = {},
  ) {
    const binaries = await fetchEngines();
    const folders = { binaries, data, logs: join(data, 'logs'), fast };
    const ports = { kafka: await tcpPort(0), controller: await tcpPort(0), pg: await tcpPort(0) };
    const broker = kafka(folders, ports.kafka, ports.controller, { properties: kafkaProperties(ports), format: [] });
    const engines = new Engines(
      {
        brokers: [`127.0.0.1:${ports.kafka}`],
        databaseUrl: `postgres://lanyard:${password}@127.0.0.1:${ports.pg}/postgres`,
      },
      binaries,
      {
        kafka: new Engine('kafka', broker, ports.kafka),
        postgresql: new Engine('postgresql', postgresql(folders, ports.pg, password), ports.pg),
      },
    );
    try {
      await engines.heal();
    } catch (error) {
      await engines.stop();
      throw error;
    }
    return engines;
  }

  /** Only rows that are alone on engines of the run ask for these. */
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
    const engine = new RedisEngine('redis', spec, port, join(data, 'redis'));
    await engine.start();
    return engine;
  }

  async heal() {
    await Promise.all([this.own?.kafka.heal(), this.own?.postgresql.heal()]);
  }

  async stop() {
    await Promise.all([this.own?.kafka.stop(), this.own?.postgresql.stop()]);
  }

  get owned() {
    if (!this.own) throw new Error('this row breaks an engine that others use too');
    return this.own;
  }
}
