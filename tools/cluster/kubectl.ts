/** kubectl, of the local cluster or of the one that is configured on this machine. */
import { spawn } from 'node:child_process';
import { Stop } from '../lanyard/project.ts';
import { kubeconfigOf } from './certificates.ts';
import { programPath } from './programs.ts';
import type { Plan } from './plan.ts';

/** The part of an object that is used here. */
export interface KubernetesObject {
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  spec?: Record<string, unknown>;
  status?: Record<string, unknown>;
}

const callMs = 60_000;

export class Kubectl {
  program: string;
  env: Record<string, string>;

  constructor(program: string, env: Record<string, string> = {}) {
    this.program = program;
    this.env = env;
  }

  static ofLocal(plan: Plan) {
    return new Kubectl(programPath('kubectl'), { KUBECONFIG: kubeconfigOf(plan, 'admin') });
  }

  /** The kubectl of this machine, with its current context. */
  static ofContext() {
    return new Kubectl('kubectl');
  }

  /** The command line for use in a terminal. */
  get line() {
    const settings = Object.entries(this.env).map(([name, value]) => `${name}=${value} `);
    return `${settings.join('')}${this.program}`;
  }

  /**
   * Asynchronous, because programs that measure an installation meanwhile, such as a WebSocket that has to answer pings, run in
   * this process.
   * @throws Stop with the message of kubectl, or with the program that is missing
   */
  async run(args: readonly string[], { input = '', timeoutMs = callMs }: { input?: string; timeoutMs?: number } = {}) {
    const child = spawn(this.program, args, { env: { ...process.env, ...this.env }, timeout: timeoutMs });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].setEncoding('utf8').on('data', (text) => (output[name] += text));
    // The program may end before it has read all input.
    child.stdin.on('error', () => undefined).end(input);
    const code = await new Promise((done, failed) => {
      child.on('error', ({ message }) => failed(new Stop(message)));
      child.on('close', done);
    });
    if (code !== 0) throw new Stop(`kubectl ${args.join(' ')}: ${output.stderr || output.stdout || code}`);
    return output.stdout;
  }

  async answers(path: string) {
    return this.run(['get', '--raw', path], { timeoutMs: 5_000 }).then(Boolean, () => false);
  }

  /** Waits until a workload runs as it was applied. */
  rolledOut(namespace: string, workload: string, timeoutMs: number) {
    const args = ['-n', namespace, 'rollout', 'status', workload, `--timeout=${timeoutMs / 1_000}s`];
    return this.run(args, { timeoutMs: timeoutMs + 10_000 });
  }

  async list(kind: string, ...args: string[]): Promise<KubernetesObject[]> {
    return JSON.parse(await this.run(['get', kind, ...args, '-o', 'json'])).items;
  }

  apply(objects: readonly object[]) {
    const input = JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects });
    // Server-side, because some definitions are larger than the annotation that the client-side way needs.
    return this.run(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input });
  }
}
