/** A terminal in which commands of a document run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { waitUntil } from '../lanyard/probes.ts';
import { root, Stop } from '../lanyard/project.ts';

/** A suspended device comes back with its next update, or when that update has timed out. */
const patienceMs = 180_000;

export class Terminal {
  output = '';
  private readonly child: ChildProcess;
  private readonly ended: Promise<unknown[]>;

  constructor(script: string, environment: Record<string, string>) {
    // A separate process group, as a shell creates one: Ctrl-C reaches all of it.
    this.child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: root,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
    });
    this.ended = once(this.child, 'exit');
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
  }

  /** @param times how often the output must match */
  async says(pattern: RegExp, times = 1) {
    const all = new RegExp(pattern, `${pattern.flags}g`);
    const count = () => [...this.output.matchAll(all)].length;
    await waitUntil(String(pattern), async () => count() >= times, {
      timeoutMs: patienceMs,
      alive: () => this.child.exitCode === null || count() >= times,
      hint: `It said:\n${this.output}`,
    });
  }

  /** Resolves when the commands have ended; throws Stop if one failed. */
  async finishes() {
    const [code] = await this.ended;
    if (code !== 0) throw new Stop(`ended with ${String(code)}:\n${this.output}`);
  }

  async interrupt() {
    if (this.child.exitCode !== null || this.child.pid === undefined) return;
    process.kill(-this.child.pid, 'SIGINT');
    await this.ended;
  }
}
