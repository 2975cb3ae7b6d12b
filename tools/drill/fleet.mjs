/** The simulator as a process of its own. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../lanyard/project.mjs';

export class Fleet {
  /** @param {import('node:child_process').ChildProcess} child @param {string} url */
  constructor(child, url) {
    this.child = child;
    this.url = url;
  }

  /** @param {Record<string, string | number>} options as on its command line */
  static async start(options) {
    const args = Object.entries(options).map(([name, value]) => (value === '' ? `--${name}` : `--${name}=${value}`));
    const child = spawn(process.execPath, [join(root, 'apps/simulator/dist/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    process.once('exit', () => child.kill('SIGKILL'));
    /** @type {Promise<string>} */
    const url = new Promise((ready, failed) => {
      child.once('exit', () => failed(new Error('the simulator ended')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /(http:\S+)\/metrics/.exec(line)?.[1];
        if (found !== undefined) ready(found);
      });
    });
    return new Fleet(child, await url);
  }

  /** @param {string} name of a count, for example `registered` */
  async count(name) {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const line = text
      .split('\n')
      .find((one) => one.startsWith('lanyard_simulator_events_total{') && one.includes(`event="${name}"`));
    return Number(line?.slice(line.lastIndexOf(' ')) ?? 0);
  }

  /** @param {'registered' | 'observations'} gauge */
  async gauge(gauge) {
    const text = await (await fetch(`${this.url}/metrics`)).text();
    const line = text.split('\n').find((one) => one.startsWith(`lanyard_simulator_${gauge}{`));
    return Number(line?.slice(line.lastIndexOf(' ')) ?? 0);
  }

  /** By `device path`. @returns {Promise<Record<string, { first: number, next: number, unacknowledged: number[] }>>} */
  async values() {
    return /** @type {any} */ (await (await fetch(`${this.url}/values`)).json());
  }

  /** By `device path arguments`, how often. @returns {Promise<Record<string, number>>} */
  async executions() {
    return /** @type {any} */ (await (await fetch(`${this.url}/executions`)).json());
  }

  /** Stops reporting: the process stands still, and answers nothing. */
  stop() {
    this.child.kill('SIGKILL');
  }
}
