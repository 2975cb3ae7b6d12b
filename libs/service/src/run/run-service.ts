import { ConfigError } from '../config/env.js';
import type { RunningService } from './start-service.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of signals) process.once(signal, resolve);
  });

const report = (error: unknown): void => {
  const text =
    error instanceof ConfigError
      ? `Configuration: ${error.message}`
      : error instanceof Error
        ? (error.stack ?? error.message)
        : String(error);
  process.stderr.write(`${text}\n`);
};

/**
 * The whole of every app's main.ts: read the configuration, start, wait for a signal, stop. A failure at start or
 * stop ends the process with code 1, so that whoever supervises it sees it.
 */
export const runService = async <C>(
  readConfig: () => C,
  start: (config: C) => Promise<Pick<RunningService, 'stop'>>,
): Promise<void> => {
  try {
    const signal = nextSignal();
    const service = await start(readConfig());
    await signal;
    await service.stop();
    process.exitCode = 0;
  } catch (error) {
    report(error);
    process.exitCode = 1;
  }
  // Whatever still holds the event loop (a half-open connection of a driver) must not keep a stopped service alive.
  setTimeout(() => process.exit(), 2_000).unref();
};

/** For a consumer that died for good: the process ends, the supervisor starts a new one. */
export const exitOnFatal = (error: unknown): void => {
  report(error);
  process.exit(1);
};
