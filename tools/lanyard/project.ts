/** Folders of the project, and output to the terminal. Nothing here needs a package, because it runs before `npm ci`. */
import { writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');

/** Data, logs and state of the running system. */
export const dataFolder = () => resolve(root, process.env.LANYARD_DATA || '.lanyard');

/** Fetched infrastructure, which every data folder of this clone shares. */
export const infrastructureFolder = () => resolve(root, '.lanyard/infrastructure');

const started = Date.now();

/** Where progress is written: to standard error when a program reads standard output. */
export const progress: { stream: NodeJS.WriteStream & { fd: number } } = { stream: process.stdout };

export const say = (text: string) => {
  const line = `[${((Date.now() - started) / 1000).toFixed(1).padStart(5)} s] ${text}\n`;
  try {
    writeSync(progress.stream.fd, line);
  } catch (error) {
    // EAGAIN: the reader is slow. A line that a full disk refuses is dropped; with a stream, the error would end this process.
    if ((error as NodeJS.ErrnoException).code === 'EAGAIN') progress.stream.write(line);
  }
};

/** A problem that the operator can solve, shown without a stack trace. */
export class Stop extends Error {}

/** Names of the errors of @lanyard/service that the operator can solve. */
const operational = ['ConfigError', 'InfrastructureUnavailable'];

const failureText = (error: unknown) => {
  if (!(error instanceof Error)) return String(error);
  return error instanceof Stop || operational.includes(error.name) ? error.message : error.stack;
};

/** Runs a command's main function; problems end it with exit code 1. */
export const run = async (main: () => Promise<number | void>) => {
  try {
    process.exitCode = (await main()) ?? 0;
  } catch (error) {
    process.stderr.write(`${failureText(error)}\n`);
    process.exitCode = 1;
  }
};

export { setTimeout as sleep } from 'node:timers/promises';
