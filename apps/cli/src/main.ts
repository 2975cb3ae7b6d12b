import { CommanderError } from 'commander';
import { Cli } from './cli.js';
import { exitCodes, Interrupted } from './errors.js';
import { explainError } from './explain-error.js';
import { printable, withoutSecrets } from './output/safe-text.js';
import { createProgram } from './program.js';

const cli = new Cli();

/** The program that reads the output may end before this one, as `head` does: that is no error. */
const stopWithReader = (error: NodeJS.ErrnoException): void => {
  if (error.code === 'EPIPE') cli.interrupt(new Interrupted(exitCodes.ok));
  else process.exitCode = exitCodes.refused;
};

/** The first signal lets a command clean up, the second ends it. */
const onSignal = (): void => {
  if (cli.signal.aborted) process.exit(exitCodes.interrupted);
  cli.interrupt();
};

const report = (error: unknown): void => {
  const { message, advice, exitCode, requestId } = explainError(error);
  process.exitCode = exitCode;
  if (error instanceof Interrupted) return;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  const lines = [`lanyard: ${message}${request}`, ...(advice === undefined ? [] : [advice])];
  process.stderr.write(`${withoutSecrets(printable(lines.join('\n')))}\n`);
};

process.stdout.on('error', stopWithReader);
process.stderr.on('error', () => undefined);
process.on('SIGINT', onSignal);
process.on('SIGTERM', onSignal);
// The terminal was closed. Both the shell and the system send this signal: the second one must not cut the clean-up short.
process.on('SIGHUP', () => cli.interrupt());

try {
  await createProgram(cli).parseAsync(process.argv);
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
  else if (cli.signal.aborted) report(cli.signal.reason);
  else if ((error as NodeJS.ErrnoException).code !== 'EPIPE') report(error);
}
