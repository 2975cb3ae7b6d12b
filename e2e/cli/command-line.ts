import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@lanyard/testing';

const program = fileURLToPath(new URL('../../apps/cli/bin/lanyard.js', import.meta.url));
const terminal = fileURLToPath(new URL('terminal.py', import.meta.url));

/** One run of the program, while it runs or after. */
export class Run {
  stdout = '';
  stderr = '';
  readonly ended: Promise<number | null>;

  constructor(readonly process: ChildProcess) {
    process.stdout?.on('data', (data) => (this.stdout += String(data)));
    process.stderr?.on('data', (data) => (this.stderr += String(data)));
    this.ended = new Promise((resolve) => process.once('close', resolve));
  }

  get shown(): string {
    return this.stdout + this.stderr;
  }

  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return eventually(() => {
      const found = pattern.exec(this.shown);
      if (!found) throw new Error(`${pattern} is not in:\n${this.shown}`);
      return found;
    });
  }

  type(text: string): void {
    this.process.stdin?.write(text);
  }

  async stop(signal: NodeJS.Signals = 'SIGINT'): Promise<number | null> {
    this.process.kill(signal);
    return this.ended;
  }
}

export interface Done {
  code: number | null;
  stdout: string;
  stderr: string;
}

const doneOf = async (run: Run, input = ''): Promise<Done> => {
  run.process.stdin?.end(input);
  const code = await run.ended;
  return { code, stdout: run.stdout, stderr: run.stderr };
};

/** The program with its own configuration folder. */
export class CommandLine {
  readonly folder = mkdtempSync(join(tmpdir(), 'lanyard-cli-'));

  start(args: string[], env: NodeJS.ProcessEnv = {}): Run {
    return new Run(spawn(process.execPath, [program, ...args], { env: this.environment(env) }));
  }

  /** Runs it on a pseudo-terminal, where both outputs are combined. */
  onTerminal(args: string[], env: NodeJS.ProcessEnv = {}): Run {
    return new Run(
      spawn('python3', [terminal, process.execPath, program, ...args], {
        env: this.environment({ TERM: 'xterm-256color', ...env }),
      }),
    );
  }

  /** Runs a shell line in which `$LANYARD` is the program. */
  shell(line: string): Promise<Done> {
    const { PATH = '' } = process.env;
    const env = { LANYARD: program, PATH: `${dirname(process.execPath)}:${PATH}` };
    return doneOf(new Run(spawn('bash', ['-c', line], { env: this.environment(env) })));
  }

  async run(args: string[], { input = '', env = {} }: { input?: string; env?: NodeJS.ProcessEnv } = {}): Promise<Done> {
    const run = this.start(args, env);
    return doneOf(run, input);
  }

  /** The JSON that it prints. Throws unless it succeeds. */
  async json<T>(...args: string[]): Promise<T> {
    const { code, stdout, stderr } = await this.run([...args, '--json']);
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}: ${stderr}`);
    return JSON.parse(stdout) as T;
  }

  private environment(added: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
    const { PATH, HOME } = process.env;
    return { PATH, HOME, LANYARD_CONFIG_DIR: this.folder, ...added };
  }
}
