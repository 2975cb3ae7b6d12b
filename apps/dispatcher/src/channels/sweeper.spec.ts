import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { CallbackDelivery } from '../delivery/callback-delivery.js';
import type { ChannelRegistry, ExpiryRule } from '../queue/channel-registry.js';
import type { RedisLinks } from '../queue/redis-links.js';
import type { ChannelEnds } from './channel-ends.js';
import { OneByOne } from './one-by-one.js';
import { Sweeper } from './sweeper.js';

const periodMs = 2_000;
const minuteMs = 60_000;

describe('a sweep', () => {
  let clock: TestClock;
  let sweeper: Sweeper;
  let expired: { channelId: string; rule: ExpiryRule }[];
  let ended: string[];
  let isDatabaseAway: boolean;
  /** A request of the channel's callback has failed after 24 hours of failures. */
  let failAgain: (channelId: string) => Promise<void>;

  beforeEach(async () => {
    clock = new TestClock();
    expired = [];
    ended = [];
    isDatabaseAway = false;
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const query = async (): Promise<void> => {
      if (isDatabaseAway) throw new Error('ECONNREFUSED');
    };
    const endChannel = async (channelId: string): Promise<boolean> => {
      await query();
      if (channelId === 'bad') throw new Error('it cannot be ended');
      ended.push(channelId);
      return true;
    };
    sweeper = new Sweeper(
      { claimExpired: async () => expired.splice(0) } as unknown as ChannelRegistry,
      { endChannel } as unknown as ChannelEnds,
      new OneByOne(
        { query } as unknown as DataSource,
        { check: async () => undefined } as unknown as RedisLinks,
        logger,
      ),
      { onFailedForTooLong: (listener: typeof failAgain) => (failAgain = listener) } as unknown as CallbackDelivery,
      clock,
    );
    Object.assign(sweeper, { clock, logger });
    sweeper.onApplicationBootstrap();
    await clock.advance(11 * minuteMs);
  });

  afterEach(() => sweeper.stop());

  const find = async (...channels: typeof expired): Promise<void> => {
    expired = channels;
    await clock.advance(periodMs);
  };

  it('ends the channels behind one that cannot be ended, and those whose clients are absent', async () => {
    await find({ channelId: 'bad', rule: 'idle' }, { channelId: 'idle', rule: 'idle' });
    await find({ channelId: 'absent', rule: 'no-poll' });
    expect(ended).toEqual(['idle', 'absent']);
  });

  it.each<ExpiryRule>(['no-socket', 'no-poll', 'failed', 'idle'])(
    'ends no channel that meets the rule %s within 10 minutes after PostgreSQL was away',
    async (rule) => {
      isDatabaseAway = true;
      await find({ channelId: 'unserved', rule });
      isDatabaseAway = false;
      await find({ channelId: 'unserved', rule });
      expect(ended).toEqual([]);
      await clock.advance(10 * minuteMs);
      await find({ channelId: 'unserved', rule });
      expect(ended).toEqual(['unserved']);
    },
  );

  it('ends a callback at once that fails again after 24 hours, but not within 10 minutes after an outage', async () => {
    await failAgain('failing');
    expect(ended).toEqual(['failing']);
    isDatabaseAway = true;
    await find({ channelId: 'unserved', rule: 'idle' });
    isDatabaseAway = false;
    await failAgain('recovering');
    expect(ended).toEqual(['failing']);
    await clock.advance(10 * minuteMs);
    await failAgain('recovering');
    expect(ended).toEqual(['failing', 'recovering']);
  });

  it('ends a stopped callback also then', async () => {
    isDatabaseAway = true;
    await find({ channelId: 'stopped', rule: 'stopped' });
    isDatabaseAway = false;
    await find({ channelId: 'stopped', rule: 'stopped' });
    expect(ended).toEqual(['stopped']);
  });
});
