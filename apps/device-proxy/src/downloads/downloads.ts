import { Code, SourceUnavailable } from '@lanyard/coap';
import { contentFormat, currentFormat } from '@lanyard/lwm2m';
import { ticketPattern } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { EndpointNames } from '../intake/endpoint-names.js';
import { LastSeen } from '../sessions/last-seen.js';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { RetryLater } from '../transport/retry-later.js';
import { mayActFor } from '../transport/sender.js';
import type { UplinkReply, UplinkRequest } from '../transport/uplink-request.js';
import { etagBytes, retrySeconds } from './limits.js';
import type { PackageInfo } from './package-client.js';
import { PackageUnavailable, TicketEnded } from './package-errors.js';
import { PackageRanges } from './package-ranges.js';
import { Tickets } from './tickets.js';

const notFound: UplinkReply = { code: '4.04' };

/** Derived from the ticket, so that a fleet does not return all at once: tickets are random. */
const retryAfterSeconds = (ticket: string): number =>
  retrySeconds.min + (Number.parseInt(ticket.slice(-4), 16) % (retrySeconds.max - retrySeconds.min + 1));

/** The error that makes the CoAP layer tell the device why a part cannot be read. */
const refusal = (error: unknown, ticket: string): unknown => {
  if (error instanceof TicketEnded) return new SourceUnavailable(Code.NotFound);
  if (error instanceof PackageUnavailable)
    return new SourceUnavailable(Code.ServiceUnavailable, retryAfterSeconds(ticket));
  return error;
};

/** `GET /downloads/{ticket}`: the package of a campaign, for its device. Called for each block. */
@Injectable()
export class Downloads {
  constructor(
    private readonly tickets: Tickets,
    private readonly ranges: PackageRanges,
    private readonly directory: DeviceDirectory,
    private readonly names: EndpointNames,
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
  ) {}

  async answer(request: UplinkRequest, ticket: string): Promise<UplinkReply> {
    const { accept = contentFormat.opaque, sender } = request;
    const { accountId } = sender;
    const found = ticketPattern.test(ticket) ? await this.find(ticket, accountId) : undefined;
    if (!found || !this.isFor(request, found.info)) return notFound;
    await this.recordMessage(request, found.isFresh);
    // RFC 7252 §5.10.4.
    if (currentFormat(accept) !== contentFormat.opaque)
      return { code: '4.06', diagnostic: `Content-Format ${accept} is not supported` };
    return {
      code: '2.05',
      contentFormat: contentFormat.opaque,
      etag: Buffer.from(found.info.digest, 'hex').subarray(0, etagBytes),
      source: this.ranges.sourceOf({ ticket, accountId, info: found.info, delivery: 'pull' }, (error) =>
        refusal(error, ticket),
      ),
    };
  }

  private async find(ticket: string, accountId: string): Promise<{ info: PackageInfo; isFresh: boolean } | undefined> {
    try {
      return await this.tickets.find(ticket, accountId);
    } catch (error) {
      if (error instanceof TicketEnded) return undefined;
      if (error instanceof PackageUnavailable) throw new RetryLater(error.message);
      throw error;
    }
  }

  /** Whether the sender may act for the device, or for the gateway that it is behind. Without security, any in its account may. */
  private isFor({ sender }: UplinkRequest, { deviceId }: PackageInfo): boolean {
    const entry = this.directory.get(deviceId);
    if (!entry || this.directory.whyBlocked(deviceId)) return false;
    const { accountId, hostGateway } = entry;
    const isOf = (id: string): boolean =>
      mayActFor(sender, { accountId, deviceId: id, endpointName: this.names.nameOf(id) ?? '' });
    return isOf(deviceId) || (hostGateway !== undefined && isOf(hostGateway));
  }

  /**
   * Records that the device is awake, as a queue-mode device is while it downloads. Its session is taken over from another replica
   * when the ticket is looked up, not for each block.
   */
  private async recordMessage({ sender: { accountId }, address }: UplinkRequest, isFresh: boolean): Promise<void> {
    const session = this.sessions.atAddress(accountId, address);
    if (session) this.lastSeen.recordMessage(session);
    else if (isFresh)
      await this.sessions.withSession({ by: 'address', accountId, address }, address, async (taken) => {
        if (taken) this.lastSeen.recordMessage(taken);
      });
  }
}
