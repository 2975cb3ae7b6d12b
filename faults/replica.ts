/** One dispatcher, a process of its own behind its own proxy to Redis. */
import { sleep } from '../tools/lanyard/project.ts';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers, waitUntil } from '../tools/lanyard/probes.ts';
import { isAlive, kill, stopProcess } from '../tools/lanyard/processes.ts';
import { noteEnded, noteStarted } from './started.ts';
import { TcpProxy } from './tcp-proxy.ts';

interface ReplicaOptions {
  name: string;
  folder: string;
  program: string;
  redisPort: number;
  environment: Record<string, string>;
}

const modules = ['./shifted-clock.ts', './private-names.ts'].flatMap((name) => [
  '--import',
  new URL(name, import.meta.url).href,
]);

const startAttempts = 6;

/** Of the kernel: a hundredth of a second. */
const ticksPerSecond = 100;

export class Replica {
  pid = 0;
  port = 0;
  isStopped = false;
  /** It has answered since it was started. */
  isReady = false;
  /** How far its clock is off. */
  shiftMs = 0;
  /** Unexpected exits. */
  deaths = 0;
  options: ReplicaOptions;
  redis: TcpProxy;
  name: string;
  logFile: string;
  clockFile: string;

  constructor(options: ReplicaOptions, redis: TcpProxy) {
    this.options = options;
    this.redis = redis;
    this.name = options.name;
    this.logFile = join(options.folder, `${options.name}.log`);
    this.clockFile = join(options.folder, `${options.name}.clock`);
  }

  static async create(options: ReplicaOptions) {
    const replica = new Replica(options, await new TcpProxy(options.redisPort).start());
    replica.port = await tcpPort(0);
    replica.shiftClock(0);
    return replica;
  }

  get url() {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning() {
    return isAlive(this.pid);
  }

  /** How far its clock is off, from now on. */
  shiftClock(ms: number) {
    this.shiftMs = ms;
    writeFileSync(this.clockFile, String(ms));
  }

  launch() {
    const log = openSync(this.logFile, 'a');
    const child = spawn(process.execPath, [...modules, join(this.options.program, 'dist/main.js')], {
      env: {
        PATH: process.env.PATH ?? '',
        REDIS_URL: `redis://127.0.0.1:${this.redis.port}`,
        ...this.options.environment,
        REPLICA_ID: this.name,
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(this.port),
        SHIFTED_CLOCK_FILE: this.clockFile,
      },
      stdio: ['ignore', log, log],
    });
    closeSync(log);
    this.pid = noteStarted(child.pid ?? 0);
    this.isStopped = false;
    this.isReady = false;
    // Waiting callers get the failure; this is for when there are none.
    this.ready().catch(() => undefined);
  }

  /** One that gives up is started again, as its supervisor would. */
  async start() {
    for (let attempt = 1; ; attempt++) {
      if (!this.isRunning) this.launch();
      try {
        return await this.ready();
      } catch (error) {
        if (attempt === startAttempts) throw error;
        this.deaths++;
      }
    }
  }

  async ready() {
    await waitUntil(`${this.name} ${this.url}`, () => answers.service(this.url), {
      alive: () => this.isRunning,
      hint: `See ${this.logFile}`,
    });
    this.isReady = true;
  }

  async kill() {
    this.isReady = false;
    kill(this.pid, 'SIGKILL');
    while (this.isRunning) await sleep(5);
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

  async stop() {
    if (this.isStopped) this.resume();
    await stopProcess(this.pid, { waitMs: 15_000 });
    noteEnded(this.pid);
  }

  /** Running, on a line that works, with the right time. */
  async heal() {
    if (this.isStopped) this.resume();
    this.redis.heal();
    this.shiftClock(0);
    if (!this.isRunning) this.deaths++;
    await this.start();
  }

  async drop() {
    if (this.isStopped) this.resume();
    await this.kill();
    this.redis.stop();
  }

  /** Seconds of processor time used until now. */
  get cpuSeconds() {
    const fields = readFileSync(`/proc/${this.pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
  }

  /** Resident memory. */
  get rssBytes() {
    const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, 'utf8'))?.[1];
    return Number(kib ?? 0) * 1_024;
  }
}
