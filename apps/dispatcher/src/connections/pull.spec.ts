import { describe, expect, it } from '@jest/globals';
import { TestClock } from '@lanyard/testing';
import type { Channels } from '../channels/channels.js';
import type { LastMessages } from '../delivery/last-messages.js';
import type { Telemetry } from '../delivery/telemetry.js';
import { ChannelDeleted } from '../errors.js';
import { BodyBudget } from '../queue/body-budget.js';
import type { ChannelQueue } from '../queue/channel-queue.js';
import { Holders } from '../replicas/holders.js';
import { Pull } from './pull.js';

describe('a poll', () => {
  it('does not make its channel for ever, should that be gone each time', async () => {
    let makings = 0;
    const queue = { attach: async () => ({ outcome: 'missing' }) };
    const channels = { ensurePull: async () => void makings++ };
    const pull = new Pull(
      queue as unknown as ChannelQueue,
      new Holders(),
      new TestClock(),
      {} as unknown as Telemetry,
      {} as unknown as LastMessages,
      channels as unknown as Channels,
      new BodyBudget(),
    );
    const poller = { keyId: 'key', accountId: 'account', tier: 'commercial', requestId: 'request' } as const;
    const request = { noWait: true, after: undefined, address: '192.0.2.7' };
    await expect(pull.poll(poller, request, new AbortController().signal)).rejects.toThrow(ChannelDeleted);
    expect(makings).toBe(5);
  });
});
