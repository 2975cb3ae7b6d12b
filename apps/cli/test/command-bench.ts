import type { RequestListener } from 'node:http';
import { PassThrough } from 'node:stream';
import { Lanyard } from '@lanyard/client';
import { serve } from '@lanyard/testing';
import { Command } from 'commander';
import type { Cli, Session } from '../src/cli.js';
import { Output } from '../src/output/output.js';

interface BenchOptions extends Partial<Pick<Session, 'signal' | 'onLost'>> {
  json?: boolean;
  quiet?: boolean;
  /** How often the client repeats a request. */
  retries?: number;
}

/** Runs a command against a service that answers requests in this way, and keeps what the command prints. */
export class CommandBench {
  private readonly stdout = new PassThrough();
  private readonly stderr = new PassThrough();

  constructor(
    private readonly answer: RequestListener,
    private readonly options: BenchOptions = {},
  ) {}

  /** `add`: adds the command to the program. Rejects with the error of the command. */
  async run(add: (program: Command, cli: Cli) => void, args: readonly string[]): Promise<void> {
    const { json = false, quiet = false, retries, onLost = () => undefined } = this.options;
    const { signal = new AbortController().signal } = this.options;
    const { url, stop } = await serve(this.answer);
    const session: Session = {
      ...{ url, key: 'ak_1x', signal, onLost },
      lanyard: new Lanyard({ baseUrl: url, key: 'ak_1x', ...(retries !== undefined && { retries }) }),
      out: new Output(this.stdout, this.stderr, { json, quiet, colour: false }),
    };
    const program = new Command();
    add(program, { session: () => session } as unknown as Cli);
    try {
      await program.parseAsync(args, { from: 'user' });
    } finally {
      stop();
    }
  }

  /** What is new on the standard output. */
  results(): string {
    return String(this.stdout.read() ?? '');
  }

  /** What is new on the standard error. */
  remarks(): string {
    return String(this.stderr.read() ?? '');
  }
}
