import { NamedError } from '@lanyard/service';

/** The ticket does not, or no longer, open a package. */
export class TicketEnded extends NamedError {
  constructor() {
    super('the ticket opens no package, or its download has ended');
  }
}

export class PackageUnavailable extends NamedError {}
