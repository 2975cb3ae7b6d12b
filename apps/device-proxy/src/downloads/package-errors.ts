/** The ticket does not open a package, or no longer. */
export class TicketEnded extends Error {
  override name = 'TicketEnded';

  constructor() {
    super('the ticket opens no package, or its download has ended');
  }
}

/** The package cannot be fetched now. */
export class PackageUnavailable extends Error {
  override name = 'PackageUnavailable';
}
