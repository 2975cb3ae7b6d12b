/** Kafka, PostgreSQL and Redis of this run alone, because they are killed, stopped, cut and wiped. */
import { mkdirSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { kafka, postgresql, redis } from '../tools/lanyard/engine-processes.mjs';
import { fetchEngines } from '../tools/lanyard/fetch-engines.mjs';
import { tcpPort } from '../tools/lanyard/ports.mjs';
import { answers, waitUntil } from '../tools/lanyard/probes.mjs';
import { isAlive, kill, launch, stopProcess } from '../tools/lanyard/processes.mjs';
import { noteEnded, noteStarted } from './started.mjs';

/** @typedef {import('../tools/lanyard/engine-processes.mjs').EngineSpec} EngineSpec */

const password = 'lanyard';
const startAttempts = 5;
/** A child that Redis forked ends within this, once its parent was killed. */
const startAgainMs = 250;

/** A process that can be killed and started again on the same port and data. */
export class Engine {
  pid = 0;
  isStopped = false;

  /** @param {keyof typeof answers & string} name @param {EngineSpec} spec @param {number} port */
  constructor(name, spec, port) {
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
        await new Promise((done) => setTimeout(done, startAgainMs));
      }
    }
  }

  async startOnce() {
    if (!isAlive(this.pid)) this.pid = noteStarted(launch(this.spec));
    const ready = () => answers[/** @type {'kafka'} */ (this.name)](`127.0.0.1:${this.port}`);
    await waitUntil(this.name, ready, { alive: () => isAlive(this.pid), hint: `See ${this.spec.logFile}` });
  }

  async kill() {
    kill(this.pid, 'SIGKILL');
    while (isAlive(this.pid)) await new Promise((done) => setTimeout(done, 5));
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
  /** @param {EngineSpec} spec @param {number} port @param {string} data */
  constructor(spec, port, data) {
    super('redis', spec, port);
    this.data = data;
    this.args = spec.args;
  }

  /** From the next start. @param {'always' | 'everysec'} fsync */
  set appendFsync(/** @type {'always' | 'everysec'} */ fsync) {
    this.spec.args = this.args.map((arg) => (arg === 'always' ? fsync : arg));
  }

  get logBytes() {
    return statSync(join(this.data, 'appendonly.aof')).size;
  }

  /** As if the last bytes had never reached the disk. @param {number} bytes that stay */
  truncateLog(bytes) {
    truncateSync(join(this.data, 'appendonly.aof'), bytes);
  }

  /** As if its disk had been replaced. */
  wipe() {
    rmSync(this.data, { recursive: true, force: true });
    mkdirSync(this.data, { recursive: true });
  }
}

/** @typedef {{ brokers: string[], databaseUrl: string }} Shared */

/** Kafka and PostgreSQL are those of the run; each row has a Redis of its own. */
export class Engines {
  /** @param {Shared} shared @param {string} binaries @param {Engine} [kafka] @param {Engine} [postgresql] */
  constructor({ brokers, databaseUrl }, binaries, kafka, postgresql) {
    this.brokers = brokers;
    this.databaseUrl = databaseUrl;
    this.binaries = binaries;
    this.ownKafka = kafka;
    this.ownPostgresql = postgresql;
  }

  /** For rows that leave Kafka and PostgreSQL alone. @param {Shared} shared */
  static async use(shared) {
    return new Engines(shared, await fetchEngines());
  }

  /** @param {string} data @param {{ fast?: boolean, kafkaProperties?: (ports: { kafka: number, controller: number }) => string }} [settings] */
  static async start(data, { fast = true, kafkaProperties = () => '' } = {}) {
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

  /** @param {string} data folder of a row */
  async startRedis(data) {
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

/** @param {Engine | undefined} engine */
const owned = (engine) => {
  if (!engine) throw new Error('this row breaks an engine that others use too');
  return engine;
};
