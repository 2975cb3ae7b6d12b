/** Simulated devices in a separate process. */
import { spawn, type ChildProcess } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root, sleep } from '../lanyard/project.ts';
import { endsWithThisProcess } from './program.ts';
import { scrape, sum } from './metrics.ts';

const askAgainMinMs = 50;
/** A simulator of many devices lists all of their sockets for an answer, so it is asked rarely enough to serve them. */
const askAgainFactor = 20;

/**
 * Firmware as the simulator verifies it: a line with the version and the SHA-256 of the body, then the body.
 * @param bytes of the body, which is random
 */
export const firmwareOf = (version: string, bytes: number) => {
  const body = randomBytes(bytes);
  const head = `SIMFW ${version} ${createHash('sha256').update(body).digest('hex')}\n`;
  return Buffer.concat([Buffer.from(head), body]);
};

export class Simulator {
  child: ChildProcess;
  url: string;
  /** Its output, line by line. */
  said: string[];

  constructor(child: ChildProcess, url: string, said: string[]) {
    this.child = child;
    this.url = url;
    this.said = said;
  }

  /**
   * @param options as on its command line
   * @param env additional environment variables
   */
  static async start(options: Record<string, string | number | true>, env: NodeJS.ProcessEnv = {}) {
    const all: typeof options = { 'report-seconds': 3_600, ...options };
    const args = Object.entries(all).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
    const child = spawn(process.execPath, [join(root, 'apps/simulator/dist/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
    });
    endsWithThisProcess(child);
    const said: string[] = [];
    const url = await new Promise<string>((ready, failed) => {
      child.once('exit', () => failed(new Error('the simulator ended')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        said.push(line);
        const found = /(http:\S+)\/metrics/.exec(line)?.[1];
        if (found !== undefined) ready(found);
      });
    });
    return new Simulator(child, url, said);
  }

  async state() {
    const samples = await scrape(this.url);
    const event = (name: string) => sum(samples, 'lanyard_simulator_events_total', `event="${name}"`);
    return {
      atMs: performance.now(),
      registered: sum(samples, 'lanyard_simulator_registered'),
      registrations: event('registered'),
      observations: sum(samples, 'lanyard_simulator_observations'),
      updates: event('updated'),
      values: event('value-sent'),
      lost: event('value-lost') + event('silence') + event('refused'),
    };
  }

  /** How often an event has happened. */
  async events(name: string) {
    return sum(await scrape(this.url), 'lanyard_simulator_events_total', `event="${name}"`);
  }

  /** Values by `device path`. */
  async values() {
    const response = await fetch(`${this.url}/values`);
    return (await response.json()) as Record<string, { first: number; next: number; unacknowledged: number[] }>;
  }

  /** How often each `device path arguments` was executed. */
  async executions() {
    return (await (await fetch(`${this.url}/executions`)).json()) as Record<string, number>;
  }

  /** How often the devices executed a path, by argument: each command has its own. */
  async executionsOf(path: string) {
    const counts = new Map<string, number>();
    for (const [key, times] of Object.entries(await this.executions())) {
      const [, executed, argument = ''] = key.split(' ');
      if (executed === path) counts.set(argument, (counts.get(argument) ?? 0) + times);
    }
    return counts;
  }

  async until(
    condition: (state: Awaited<ReturnType<Simulator['state']>>) => boolean,
    what: string,
    timeoutMs = 300_000,
  ) {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const askedAtMs = performance.now();
      const state = await this.state();
      if (condition(state)) return state;
      if (performance.now() > deadline)
        throw new Error(`${what}: not within ${timeoutMs / 1_000} s: ${JSON.stringify(state)}`);
      await sleep(Math.max(askAgainMinMs, askAgainFactor * (performance.now() - askedAtMs)));
    }
  }

  /**
   * By default, stops at once: the devices disappear without deregistering. With SIGTERM every device deregisters.
   * @returns Its exit code: 1 if something was lost.
   */
  async stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const gone = once(this.child, 'exit');
      this.child.kill(signal);
      await gone;
    }
    return this.child.exitCode;
  }
}
