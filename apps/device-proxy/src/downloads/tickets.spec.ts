import { describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { FetchQueue } from './fetch-queue.js';
import { ticketTrustMs } from './limits.js';
import type { PackageClient } from './package-client.js';
import type { PackageRanges } from './package-ranges.js';
import { Tickets } from './tickets.js';

describe('the answer of campaigns about a ticket', () => {
  it.each([
    ['is trusted a moment later', 1_000, false],
    ['is asked for again after its time', ticketTrustMs, true],
    ['is asked for again when the clock was set back', -300_000, true],
  ])('%s', async (_, laterMs, isFresh) => {
    const clock = new TestClock();
    const info = { deviceId: newId(), digest: '', bytes: 1 };
    const client = { describe: () => Promise.resolve(info) };
    const ranges = { queue: new FetchQueue() };
    const tickets = new Tickets(client as unknown as PackageClient, ranges as unknown as PackageRanges, clock);
    const accountId = newId();
    expect(await tickets.find('ticket', accountId)).toEqual({ info, isFresh: true });
    await clock.advance(laterMs);
    expect(await tickets.find('ticket', accountId)).toEqual({ info, isFresh });
  });
});
