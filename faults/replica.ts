/** One service as a separate process, with its own TCP proxy to Redis, which can fail. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TcpLine } from '@lanyard/testing';
import { cpuSeconds, residentBytes } from '../bench/machine.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers } from '../tools/lanyard/probes.ts';
import { ManagedProcess } from '../tools/testing/managed-process.ts';

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

export class Replica extends ManagedProcess {
  /** How far its clock is off. */
  shiftMs = 0;
  folder: string;
  redis: TcpLine;
  url: string;
  clockFile: string;

  constructor({ name, folder, program, environment }: ReplicaOptions, redis: TcpLine, port: number) {
    const url = `http://127.0.0.1:${port}`;
    const clockFile = join(folder, `${name}.clock`);
    const env = {
      ...{ PATH: process.env.PATH ?? '', REDIS_URL: redis.url, ...environment, REPLICA_ID: name },
      ...{ HTTP_HOST: '127.0.0.1', HTTP_PORT: String(port), SHIFTED_CLOCK_FILE: clockFile },
    };
    const args = [...modules, join(program, 'dist/main.js')];
    const spec = { command: process.execPath, args, env, logFile: join(folder, `${name}.log`) };
    super(name, spec, () => answers.service(url));
    this.folder = folder;
    this.redis = redis;
    this.url = url;
    this.clockFile = clockFile;
  }

  static async create(options: ReplicaOptions) {
    const redis = await TcpLine.open(`redis://127.0.0.1:${options.redisPort}`);
    const replica = new Replica(options, redis, await tcpPort(0));
    replica.shiftClock(0);
    return replica;
  }

  /** Shifts its clock by this much from now on. */
  shiftClock(ms: number) {
    this.shiftMs = ms;
    writeFileSync(this.clockFile, String(ms));
  }

  /** Makes it run on a working line, with the right time. */
  override async heal() {
    this.redis.heal();
    this.shiftClock(0);
    await super.heal();
  }

  async drop() {
    if (this.isPaused) this.resume();
    await this.kill();
    this.redis.close();
  }

  /** Seconds of CPU time used so far. */
  get cpuSeconds() {
    return cpuSeconds(this.pid);
  }

  get rssBytes() {
    return residentBytes(this.pid);
  }
}
