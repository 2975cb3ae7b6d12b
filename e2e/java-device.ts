import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@lanyard/testing';
import { runProgram } from '../tools/lanyard/install.mjs';
import { root } from '../tools/lanyard/project.mjs';

/** The jars that `e2e/<folder>/pom.xml` names, fetched once per version of it. */
const jars = async (folder: string): Promise<string> => {
  const pom = join(root, 'e2e', folder, 'pom.xml');
  const all = join(root, '.lanyard', folder);
  const target = join(all, createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12));
  if (existsSync(target)) return target;
  mkdirSync(all, { recursive: true });
  const own = mkdtempSync(join(all, 'new-'));
  const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${own}`];
  await runProgram('mvn', ['-q', '-B', '-f', pom, ...copy]);
  try {
    renameSync(own, target);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
};

/** A device that this project did not write, in a JVM of its own. It says what happens and takes commands, line by line. */
export class JavaDevice {
  readonly said: string[] = [];

  protected constructor(private readonly process: ChildProcess) {
    const { stdout } = process;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.said.push(line));
  }

  /** Runs `e2e/<folder>/<program>.java`. */
  protected static async run(folder: string, program: string, args: readonly string[]): Promise<ChildProcess> {
    const java = [
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${await jars(folder)}/*`,
      join(root, 'e2e', folder, `${program}.java`),
    ];
    return spawn('java', [...java, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  }

  tell(command: string): void {
    this.process.stdin?.write(`${command}\n`);
  }

  /** Waits for a line that it says after this call, or among those from `since` on. */
  async says(pattern: RegExp, { since = 0, timeoutMs = 30_000 } = {}): Promise<string> {
    return eventually(
      () => {
        const line = this.said.slice(since).find((l) => pattern.test(l));
        if (line === undefined)
          throw new Error(`the device did not say ${pattern}: ${this.said.slice(-5).join(' | ')}`);
        return line;
      },
      { timeoutMs },
    );
  }

  async ends(): Promise<void> {
    if (this.process.exitCode !== null) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }
}
