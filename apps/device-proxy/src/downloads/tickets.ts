import { createHash } from 'node:crypto';
import { type Clock, CLOCK, setBounded } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { PackageRanges } from './package-ranges.js';
import { ticketsKeptMax, ticketTrustMs } from './limits.js';
import { PackageClient, type PackageInfo } from './package-client.js';

const keyOf = (ticket: string): string => createHash('sha256').update(ticket).digest('base64url');

/** The packages that tickets open, as campaigns answered a short while ago. Only hashes of tickets are kept. */
@Injectable()
export class Tickets {
  private readonly known = new Map<string, { info: PackageInfo; checkedAtMs: number }>();
  private readonly asking = new Map<string, Promise<PackageInfo>>();

  constructor(
    private readonly client: PackageClient,
    private readonly ranges: PackageRanges,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** `isFresh`: this call asked campaigns for the ticket. Throws TicketEnded or PackageUnavailable. */
  async find(ticket: string, accountId: string): Promise<{ info: PackageInfo; isFresh: boolean }> {
    const key = keyOf(ticket);
    const known = this.known.get(key);
    // The absolute difference, so that no answer is trusted for longer when the clock is set back.
    if (known && Math.abs(this.clock.now() - known.checkedAtMs) < ticketTrustMs)
      return { info: known.info, isFresh: false };
    const asked = this.asking.get(key);
    if (asked) return { info: await asked, isFresh: false };
    const asking = this.ranges.queue.run(accountId, () => this.client.describe(ticket));
    this.asking.set(key, asking);
    try {
      const info = await asking;
      setBounded(this.known, key, { info, checkedAtMs: this.clock.now() }, ticketsKeptMax);
      return { info, isFresh: true };
    } catch (error) {
      this.known.delete(key);
      throw error;
    } finally {
      this.asking.delete(key);
    }
  }
}
