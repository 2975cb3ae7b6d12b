import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { Telemetry } from '../delivery/telemetry.js';
import type { ChannelRegistry } from '../queue/channel-registry.js';
import type { RedisLinks } from '../queue/redis-links.js';
import type { SharedClock } from '../queue/shared-clock.js';
import type { ChannelStore } from '../store/channel-store.js';
import { DropReporter } from './drop-reporter.js';
import { OneByOne } from './one-by-one.js';

describe('a report of what was dropped', () => {
  const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });

  /** The channels of which the drops are reported in one step, and how often old reports are forgotten. */
  const reportedWith = async (check: () => Promise<void>): Promise<{ reported: string[]; forgotten: number }> => {
    const found = { reported: [] as string[], forgotten: 0 };
    const store = {
      withLock: async (channelId: string) => {
        if (channelId === 'bad') throw new Error('it cannot be reported');
        found.reported.push(channelId);
      },
      forgetReports: async () => found.forgotten++,
    };
    const registry = {
      dropping: async function* () {
        yield ['bad', 'one'];
        yield ['another'];
      },
    };
    const clock = new TestClock();
    const reporter = new DropReporter(
      store as unknown as ChannelStore,
      registry as unknown as ChannelRegistry,
      {} as Telemetry,
      clock as unknown as SharedClock,
      new OneByOne({ query: async () => [] } as unknown as DataSource, { check } as unknown as RedisLinks, logger),
    );
    Object.assign(reporter, { clock, logger });
    reporter.wake();
    await reporter.stop();
    return found;
  };

  it('comes for the channels behind one for which it fails', async () => {
    expect(await reportedWith(async () => undefined)).toEqual({ reported: ['one', 'another'], forgotten: 1 });
  });

  it('ends where Redis is away', async () => {
    const away = reportedWith(async () => {
      throw new Error('Connection is closed.');
    });
    expect(await away).toEqual({ reported: [], forgotten: 0 });
  });
});
