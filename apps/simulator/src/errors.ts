import { ConfigError } from '@lanyard/service';

/** The command line has an unknown option. */
export class UnknownOption extends ConfigError {
  constructor(problem: string) {
    super('command line', `${problem}; see --help for the options`);
  }
}

/**
 * The process may not open a socket for each device. Every device has its own, because the server tells devices apart
 * by address and port.
 */
export class TooFewOpenFiles extends ConfigError {
  constructor(devices: number, openFiles: number) {
    super(
      'SIMULATOR_DEVICES',
      `is ${devices}, but this process may open ${openFiles} files: raise \`ulimit -n\`, or start several simulators`,
    );
  }
}

/** The server answered with an error. */
export class Refused extends Error {
  constructor(
    what: string,
    /** `4.03` */
    readonly code: string,
    /** Max-Age of the response, which a 5.03 has: an earlier retry is useless. 0 without one. */
    readonly retryAfterMs: number,
  ) {
    super(`${what}: ${code}`);
    this.name = 'Refused';
  }
}

/** The servers of the group require a credential. */
export class MissingCredentials extends ConfigError {
  constructor(group: string, scheme: string) {
    super('SIMULATOR_CREDENTIALS_FILE', `is not set: devices of "${group}" need keys for ${scheme}`);
  }
}
