/** Exit codes; docs/cli.md lists them. */
export const exitCodes = {
  ok: 0,
  refused: 1,
  usage: 2,
  noConnection: 3,
  notPermitted: 4,
  timeout: 5,
  notFound: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** Ends the program with a message and without a stack trace. */
export class CliError extends Error {
  constructor(
    message: string,
    readonly exitCode: ExitCode,
    readonly advice?: string,
  ) {
    super(message);
  }
}

export class UsageError extends CliError {
  constructor(message: string, advice?: string) {
    super(message, exitCodes.usage, advice);
  }
}

export class NameUnknown extends CliError {
  constructor(message: string, advice?: string) {
    super(message, exitCodes.notFound, advice);
  }
}

/** The run was ended by Ctrl-C, or by the end of the program that reads the output. */
export class Interrupted extends CliError {
  constructor(exitCode: ExitCode = exitCodes.interrupted) {
    super('Interrupted', exitCode);
  }
}
