import { NamedError } from '@lanyard/service';

/** The ticket does not open a package, or no longer. */
export class TicketEnded extends NamedError {
  constructor() {
    super('the ticket opens no package, or its download has ended');
  }
}

export class PackageUnavailable extends NamedError {}
