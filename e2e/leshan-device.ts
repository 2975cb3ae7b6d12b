import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '@lanyard/testing';
import { runProgram } from '../tools/lanyard/install.mjs';
import { root } from '../tools/lanyard/project.mjs';

const folder = join(root, 'e2e/leshan');

/** The jars of the Leshan client, fetched once per version of the pom. */
const jars = async (): Promise<string> => {
  const pom = join(folder, 'pom.xml');
  const target = join(
    root,
    '.lanyard/leshan',
    createHash('sha256').update(readFileSync(pom)).digest('hex').slice(0, 12),
  );
  if (existsSync(target)) return target;
  mkdirSync(join(root, '.lanyard/leshan'), { recursive: true });
  const own = mkdtempSync(join(root, '.lanyard/leshan/new-'));
  await runProgram('mvn', [
    '-q',
    '-B',
    '-f',
    pom,
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    `-DoutputDirectory=${own}`,
  ]);
  try {
    renameSync(own, target);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(target)) throw error;
  }
  return target;
};

/** A device that this project did not write: a thermometer on Eclipse Leshan's client library, in a JVM of its own. */
export class LeshanDevice {
  /** What it said, line by line: `registered rd/…`, `refused FORBIDDEN(403)`, `written 5750 …`, … */
  readonly said: string[] = [];

  private constructor(private readonly process: ChildProcess) {
    const { stdout } = process;
    if (stdout) createInterface({ input: stdout }).on('line', (line) => this.said.push(line));
  }

  static async start(server: string, name: string, lifetimeSeconds = 60): Promise<LeshanDevice> {
    const libs = await jars();
    const args = [
      '-Dorg.slf4j.simpleLogger.defaultLogLevel=error',
      '-XX:TieredStopAtLevel=1',
      '-cp',
      `${libs}/*`,
      join(folder, 'LeshanDevice.java'),
    ];
    return new LeshanDevice(
      spawn('java', [...args, server, name, String(lifetimeSeconds)], { stdio: ['pipe', 'pipe', 'inherit'] }),
    );
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
