import type { BodySource } from '@lanyard/coap';
import { Injectable } from '@nestjs/common';
import { BodyUnavailable } from '../transport/device-link.js';
import { TicketEnded } from './package-errors.js';
import { PackageRanges } from './package-ranges.js';
import { Tickets } from './tickets.js';

/** Packages that are pushed to devices. */
@Injectable()
export class PackageSources {
  constructor(
    private readonly tickets: Tickets,
    private readonly ranges: PackageRanges,
  ) {}

  /** Throws TicketEnded, also for the ticket of another device, or PackageUnavailable. Reads of it reject with BodyUnavailable. */
  async open(ticket: string, device: { deviceId: string; accountId: string }): Promise<BodySource> {
    const { accountId, deviceId } = device;
    const { info } = await this.tickets.find(ticket, accountId);
    if (info.deviceId !== deviceId) throw new TicketEnded();
    const reader = { ticket, accountId, info, delivery: 'push' } as const;
    return this.ranges.sourceOf(reader, (error) => new BodyUnavailable((error as Error).message, { cause: error }));
  }
}
