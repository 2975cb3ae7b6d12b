import type { LoggerService } from '@nestjs/common';
import { type DestinationStream, type Logger as PinoLogger, pino } from 'pino';
import { LogDestination } from './log-destination.js';

export type Logger = PinoLogger;

/**
 * What an error of PostgreSQL repeats of a statement that failed: payloads of commands, values of devices, whole tables. An
 * AggregateError may contain several such errors.
 */
const valuesOfStatements = ['parameters', 'detail', 'where', 'driverError'].flatMap((name) => [
  `err.${name}`,
  `err.aggregateErrors[*].${name}`,
]);

/**
 * What ioredis adds to an error of Redis: all that the command was to write, such as the events of an append, or the password of
 * a login. The error of a cluster that cannot be reached contains that of one of its nodes.
 */
const argumentsOfCommands = ['err', 'err.lastNodeError', 'err.aggregateErrors[*]'].map((at) => `${at}.command.args`);

/** Paths that must never be printed, wherever an object with them is logged. */
const redacted = [
  ...['authorization', 'key', 'secret', 'password', 'headers', 'cookie'].flatMap((name) => [
    name,
    `*.${name}`,
    `*.*.${name}`,
  ]),
  ...valuesOfStatements,
  ...argumentsOfCommands,
];

/** Keys, tokens of sessions, signing secrets, tickets of downloads and passwords, each after a part that may be shown. */
const secretText = new RegExp(
  [
    String.raw`(ak_[12][0-9a-f]{64})[0-9A-Za-z]{32}`,
    String.raw`\b(ls_)[\w-]{43}`,
    String.raw`\b(whsec_)[\w+/=-]{16,}`,
    String.raw`\b(t-)[0-9a-f]{32}\b`,
    String.raw`(\/\/[^/:@\s]*:)[^/@\s]+(?=@)`,
  ].join('|'),
  'g',
);

/** Cuts secrets out of a text. */
export const withoutSecrets = (text: string): string =>
  text.replace(secretText, (_, ...starts: string[]) => `${starts.find(Boolean) ?? ''}…`);

export interface LoggerOptions {
  app: string;
  replicaId: string;
  level: string;
  /** Standard output when neither this nor `destination` is given. */
  fd?: number;
  destination?: DestinationStream;
}

/** One JSON object a line; no secrets. Levels: fatal, error, warn, info, debug, trace, silent. */
export const createLogger = ({ app, replicaId, level, fd = 1, destination }: LoggerOptions): Logger => {
  const missing = (lines: number): void => logger.warn({ lines }, 'log lines are missing: they could not be written');
  const logger: Logger = pino(
    {
      level,
      base: { app, replica: replicaId },
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths: redacted, censor: '…' },
      hooks: {
        streamWrite: withoutSecrets,
      },
    },
    destination ?? new LogDestination(fd, missing),
  );
  return logger;
};

/** What Nest itself has to say, through the same logger. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...context: unknown[]): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, ...context: unknown[]): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, ...context: unknown[]): void {
    this.logger.error({ context }, String(message));
  }

  fatal(message: unknown, ...context: unknown[]): void {
    this.logger.fatal({ context }, String(message));
  }
}
