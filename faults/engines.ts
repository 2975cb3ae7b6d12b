/** Kafka, PostgreSQL and Redis of this run alone, because they are killed, stopped, cut and wiped. */
import { sleep } from '../tools/lanyard/project.ts';
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, postgresql, redis, type EngineSpec } from '../tools/lanyard/engine-processes.ts';
import { fetchEngines } from '../tools/lanyard/fetch-engines.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers, waitUntil } from '../tools/lanyard/probes.ts';
import { isAlive, kill, launch, stopProcess } from '../tools/lanyard/processes.ts';
import { noteEnded, noteStarted } from './started.ts';

const password = 'lanyard';
const startAttempts = 5;
/** A child that Redis forked ends within this, once its parent was killed. */
const startAgainMs = 250;

/** A process that can be killed and started again on the same port and data. */
export class Engine {
  pid = 0;
  isStopped = false;
  name: keyof typeof answers & string;
  spec: EngineSpec;
  port: number;

  constructor(name: keyof typeof answers & string, spec: EngineSpec, port: number) {
    this.name = name;
    this.spec = spec;
    this.port = port;
  }

  async start() {
    // What was killed may leave something behind for a moment that keeps its successor from starting.
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.startOnce();
      } catch (error) {
        if (attempt === startAttempts) throw error;
        await sleep(startAgainMs);
      }
    }
  }

  async startOnce() {
    if (!isAlive(this.pid)) this.pid = noteStarted(launch(this.spec));
    const ready = () => answers[this.name as 'kafka'](`127.0.0.1:${this.port}`);
    await waitUntil(this.name, ready, { alive: () => isAlive(this.pid), hint: `See ${this.spec.logFile}` });
  }

  async kill() {
    kill(this.pid, 'SIGKILL');
    while (isAlive(this.pid)) await sleep(5);
    noteEnded(this.pid);
  }

  pause() {
    this.isStopped = true;
    kill(this.pid, 'SIGSTOP');
  }

  resume() {
    this.isStopped = false;
    kill(this.pid, 'SIGCONT');
  }

  async heal() {
    if (this.isStopped) this.resume();
    await this.start();
  }

  async stop() {
    if (this.isStopped) this.resume();
    await stopProcess(this.pid, { signal: this.spec.stopSignal, waitMs: 10_000 });
    noteEnded(this.pid);
  }
}

export class RedisEngine extends Engine {
  data: string;
  args: string[];

  constructor(spec: EngineSpec, port: number, data: string) {
    super('redis', spec, port);
    this.data = data;
    this.args = spec.args;
  }

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
    truncateSync(join(this.data, 'appendonly.aof'), bytes);
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
  ownKafka: Engine | undefined;
  ownPostgresql: Engine | undefined;

  constructor({ brokers, databaseUrl }: Shared, binaries: string, kafka?: Engine, postgresql?: Engine) {
    this.brokers = brokers;
    this.databaseUrl = databaseUrl;
    this.binaries = binaries;
    this.ownKafka = kafka;
    this.ownPostgresql = postgresql;
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
    const engines = new Engines(
      {
        brokers: [`127.0.0.1:${ports.kafka}`],
        databaseUrl: `postgres://lanyard:${password}@127.0.0.1:${ports.pg}/postgres`,
      },
      binaries,
      new Engine(
        'kafka',
        kafka(folders, ports.kafka, ports.controller, { properties: kafkaProperties(ports), format: [] }),
        ports.kafka,
      ),
      new Engine('postgresql', postgresql(folders, ports.pg, password), ports.pg),
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
    return owned(this.ownKafka);
  }

  get postgresql() {
    return owned(this.ownPostgresql);
  }

  /** @param data folder of a row */
  async startRedis(data: string) {
    const port = await tcpPort(0);
    const spec = redis({ binaries: this.binaries, data, logs: data, fast: true }, port);
    const engine = new RedisEngine(spec, port, join(data, 'redis'));
    await engine.start();
    return engine;
  }

  async heal() {
    await Promise.all([this.ownKafka?.heal(), this.ownPostgresql?.heal()]);
  }

  async stop() {
    await Promise.all([this.ownKafka?.stop(), this.ownPostgresql?.stop()]);
  }
}

const owned = (engine: Engine | undefined) => {
  if (!engine) throw new Error('this row breaks an engine that others use too');
  return engine;
};
