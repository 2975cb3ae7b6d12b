import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { eventually } from '@lanyard/testing';
import { prepareJava } from '../tools/lanyard/java-programs.ts';

/** The most lines of standard error in the message of a failed test. */
const complaintsMax = 10;

const linesOf = (stream: Readable | null, take: (line: string) => void): Promise<void> =>
  new Promise((resolve) => {
    if (stream) createInterface({ input: stream }).on('line', take).once('close', resolve);
    else resolve();
  });

/** A third-party device in a separate process. It prints events and takes commands, line by line. */
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

  /** Waits for a line, from line `since` on. Throws at once if the device ended without having printed it. */
  async says(pattern: RegExp, { since = 0 } = {}): Promise<string> {
    const problem = (what: string): Error =>
      new Error(
        `the device ${what} ${pattern}. It said: ${this.said.slice(-5).join(' | ')}\n${this.complaints.join('\n')}`,
      );
    const line = await eventually(() => {
      const isOver = this.silent;
      const found = this.said.slice(since).find((said) => pattern.test(said));
      if (found === undefined && !isOver) throw problem('did not say');
      return found;
    });
    if (line === undefined) throw problem('ended without saying');
    return line;
  }

  async ends(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.process.exitCode !== null || this.process.signalCode !== null) return;
    const gone = new Promise((resolve) => this.process.once('exit', resolve));
    this.process.kill(signal);
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
