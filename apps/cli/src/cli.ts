import { Lanyard } from '@lanyard/client';
import type { Command } from 'commander';
import { type Environment, readEnvironment } from './config.js';
import { Output } from './output/output.js';
import { type ConnectionOptions, connectionOf } from './settings/connection.js';
import { Interrupted } from './errors.js';
import { explainError } from './explain-error.js';

export interface GlobalOptions extends ConnectionOptions {
  json?: boolean;
  quiet?: boolean;
}

/** What a command needs to run. */
export interface Session {
  lanyard: Lanyard;
  url: string;
  key: string;
  out: Output;
  /** Called when a connection was lost, which is then made again. */
  onLost: (error: Error) => void;
  /** Aborted by Ctrl-C, SIGTERM, a closed terminal, or the end of the program that reads the output. */
  signal: AbortSignal;
}

/** Runs work that lasts until Ctrl-C, which is then its ordinary end. */
export const untilStopped = async ({ signal }: Session, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

/** The environment, streams and signals of a run. */
export class Cli {
  readonly environment: Environment = readEnvironment();
  private readonly stopping = new AbortController();

  get signal(): AbortSignal {
    return this.stopping.signal;
  }

  interrupt(reason = new Interrupted()): void {
    this.stopping.abort(reason);
  }

  output(command: Command): Output {
    const { json = false, quiet = false } = command.optsWithGlobals<GlobalOptions>();
    return this.outputFor(json, quiet);
  }

  outputFor(json: boolean, quiet: boolean): Output {
    const colour = process.stdout.isTTY === true && !this.environment.noColor && !json;
    return new Output(process.stdout, process.stderr, { json, quiet, colour });
  }

  session(command: Command): Session {
    const { url, key } = connectionOf(command.optsWithGlobals<GlobalOptions>(), this.environment);
    const out = this.output(command);
    return {
      ...{ url, key, out, signal: this.signal },
      onLost: (error) => out.note(`${explainError(error).message} Connecting again.`),
      lanyard: new Lanyard({ baseUrl: url, key, fetch: this.fetching }),
    };
  }

  /** Ctrl-C ends every request, also where a call takes no signal. */
  private readonly fetching: typeof fetch = (input, init) =>
    fetch(input, {
      ...init,
      signal: init?.signal ? AbortSignal.any([init.signal, this.signal]) : this.signal,
    });
}
