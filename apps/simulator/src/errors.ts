import { ConfigError } from '@lanyard/service';

/** The command line has an unknown option. */
export class UnknownOption extends ConfigError {
  constructor(problem: string) {
    super('command line', `${problem}; see --help for the options`);
  }
}

/** Every device has its own socket, because the server tells devices apart by address and port. */
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
    /** Max-Age of a 5.03: an earlier retry is useless. */
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
