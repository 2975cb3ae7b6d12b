import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { runProgram } from '../tools/lanyard/programs.ts';
import { madeOnce } from '../tools/lanyard/made-once.ts';
import { root } from '../tools/lanyard/project.ts';
import { eventually, patienceMs } from './patience.ts';

/** What of standard error goes into the message of a failed test. */
const complaintsMax = 10;

const linesOf = (stream: Readable | null, take: (line: string) => void): Promise<void> =>
  new Promise((resolve) => {
    if (stream) createInterface({ input: stream }).on('line', take).once('close', resolve);
    else resolve();
  });

/**
 * The jars that `e2e/<folder>/pom.xml` names and the compiled programs of that folder and `java-tls`; made once per version of them. Takes
 * minutes where nothing is cached: call it before a test's time runs.
 */
export const prepareJava = async (folder: string): Promise<string> => {
  const source = join(root, 'e2e', folder);
  const programs = [source, join(root, 'e2e/java-tls')].flatMap((each) =>
    readdirSync(each)
      .filter((name) => name.endsWith('.java'))
      .map((name) => join(each, name)),
  );
  const parts = [join(source, 'pom.xml'), ...programs].map((file) => readFileSync(file));
  return madeOnce(`${join(root, '.lanyard', folder)}/`, parts, async (own) => {
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${own}`];
    await runProgram('mvn', ['-q', '-B', '-f', join(source, 'pom.xml'), ...copy]);
    await runProgram('javac', ['-encoding', 'UTF-8', '-cp', `${own}/*`, '-d', own, ...programs]);
  });
};

/** A device that this project did not write, in a process of its own. It says what happens and takes commands, line by line. */
export class ForeignDevice {
  readonly said: string[] = [];
  private readonly complaints: string[] = [];
  private silent = false;

  protected constructor(protected readonly process: ChildProcess) {
    process.stdin?.on('error', () => undefined);
    void linesOf(process.stdout, (line) => this.said.push(line)).then(() => (this.silent = true));
    void linesOf(process.stderr, (line) => {
      this.complaints.push(line);
      if (this.complaints.length > complaintsMax) this.complaints.shift();
    });
  }

  tell(command: string): void {
    this.process.stdin?.write(`${command}\n`);
  }

  /** Waits for a line, among those from `since` on. Throws at once when the device ended without having said it. */
  async says(pattern: RegExp, { since = 0, timeoutMs = patienceMs } = {}): Promise<string> {
    const problem = (what: string): Error =>
      new Error(
        `the device ${what} ${pattern}. It said: ${this.said.slice(-5).join(' | ')}\n${this.complaints.join('\n')}`,
      );
    const line = await eventually(
      () => {
        const isOver = this.silent;
        const found = this.said.slice(since).find((said) => pattern.test(said));
        if (found === undefined && !isOver) throw problem('did not say');
        return found;
      },
      { timeoutMs },
    );
    if (line === undefined) throw problem('ended without saying');
    return line;
  }

  async ends(): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await gone;
  }
}

/** A device on a third-party Java library. */
export class JavaDevice extends ForeignDevice {
  /** Runs `e2e/<folder>/<program>.java`. */
  protected static async run(folder: string, program: string, args: readonly string[]): Promise<ChildProcess> {
    const place = await prepareJava(folder);
    const java = ['-Dorg.slf4j.simpleLogger.defaultLogLevel=error', '-XX:TieredStopAtLevel=1'];
    return spawn('java', [...java, '-cp', `${place}:${place}/*`, program, ...args], { stdio: 'pipe' });
  }
}
