import { ConfigError } from '../config/env.js';
import { type CommonConfig, defaultStartTimeoutMs } from '../config/common.js';
import { endsWithin } from '../ends-within.js';
import { startsWithin } from '../lifecycle/start-deadline.js';
import { failureText } from './failure-text.js';
import { type RunningService, type ServiceDefinition, startService } from './start-service.js';

const signals = ['SIGTERM', 'SIGINT'] as const;

const nextSignal = (): Promise<NodeJS.Signals> =>
  new Promise((resolve) => {
    for (const signal of signals) process.once(signal, resolve);
  });

const report = (error: unknown): void => {
  process.stderr.write(`${failureText(error)}\n`);
};

/** A start may wait long for Kafka, PostgreSQL or Redis: after a signal, the process exits after this time. */
const startEndsMs = 5_000;

const serve = async (start: () => Promise<Pick<RunningService, 'stop'>>, timeoutMs: number): Promise<void> => {
  const signal = nextSignal();
  const starting = startsWithin(timeoutMs, start());
  const startEndedInTime = signal.then(() => endsWithin(startEndsMs, starting));
  await Promise.race([starting, startEndedInTime]);
  if ((await startEndedInTime) === false)
    throw new Error(`Stopped during start-up, which did not finish within ${startEndsMs} ms`);
  await (await starting).stop();
};

/** `node main.js NAME`: does one thing and ends. */
export type Commands = Record<string, () => Promise<void>>;

/** undefined: the service itself. Throws ConfigError for a name that is none. */
const commandOf = (commands: Commands, args: readonly string[]): (() => Promise<void>) | undefined => {
  const names = Object.keys(commands);
  const name = names.length > 0 ? args.find((arg) => !arg.startsWith('-')) : undefined;
  if (name === undefined) return undefined;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) throw new ConfigError('Command', `must be one of ${names.join(', ')}, or none; not "${name}"`);
  return command;
};

/**
 * Reads the configuration, starts, waits for a signal, and stops. A failure at start ends the process with code 1, so that
 * its supervisor sees it; what fails at a stop is logged. With the name of a command as argument, it runs that instead.
 */
export const runProcess = async <C extends object>(
  readConfig: () => C,
  start: (config: C) => Promise<Pick<RunningService, 'stop'>>,
  commands: Commands = {},
): Promise<void> => {
  try {
    const command = commandOf(commands, process.argv.slice(2));
    if (command) await command();
    else {
      const config = readConfig();
      const { startTimeoutMs = defaultStartTimeoutMs }: Pick<CommonConfig, 'startTimeoutMs'> = config;
      await serve(() => start(config), startTimeoutMs);
    }
    process.exitCode = 0;
  } catch (error) {
    report(error);
    process.exitCode = 1;
  }
  // Whatever still holds the event loop (a half-open connection of a driver) must not keep a stopped service alive.
  setTimeout(() => process.exit(), 2_000).unref();
};

/** The whole of a service's main.ts. */
export const runService = <C extends CommonConfig>(
  definition: ServiceDefinition<C>,
  readConfig: () => C,
  commands?: Commands,
): Promise<void> => runProcess(readConfig, (config) => startService(definition, config), commands);

/** For a consumer that ended permanently: the process ends, and the supervisor starts a new one. */
export const exitOnFatal = (error: unknown): void => {
  report(error);
  process.exit(1);
};
