import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { root } from '../tools/lanyard/project.mjs';

const scrape = async (url: string, metric: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(2_000) })).text();
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `));
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0);
};

/** Sessions that a replica of the device-proxy owns. Rejects when it does not answer. */
export const sessionsAt = (url: string): Promise<number> => scrape(url, 'lanyard_device_proxy_sessions');

/** A simulator as a process of its own. */
export class SimulatedFleet {
  private constructor(
    private readonly child: ChildProcess,
    private readonly url: string,
  ) {}

  /** `options` as on its command line. */
  static async start(options: Record<string, string | number>): Promise<SimulatedFleet> {
    const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
    const child = spawn(process.execPath, [join(root, 'apps/simulator/dist/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const url = await new Promise<string>((ready, failed) => {
      child.once('exit', () => failed(new Error('the simulator ended')));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /(http:\S+)\/metrics/.exec(line)?.[1];
        if (found !== undefined) ready(found);
      });
    });
    child.removeAllListeners('exit');
    return new SimulatedFleet(child, url);
  }

  registered(): Promise<number> {
    return scrape(this.url, 'lanyard_simulator_registered');
  }

  /** How often the devices executed what, by argument: each command has one of its own. */
  async executions(path: string): Promise<Map<string, number>> {
    const all = (await (await fetch(`${this.url}/executions`)).json()) as Record<string, number>;
    const counts = new Map<string, number>();
    for (const [key, count] of Object.entries(all)) {
      const [, executed, argument = ''] = key.split(' ');
      if (executed === path) counts.set(argument, (counts.get(argument) ?? 0) + count);
    }
    return counts;
  }

  /** Every device deregisters. */
  async stop(): Promise<void> {
    const gone = new Promise((done) => this.child.once('exit', done));
    this.child.kill('SIGTERM');
    await gone;
  }
}
