import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { Telemetry } from '../delivery/telemetry.js';
import { dropReportPeriodMs, dropReportsKeptMs } from '../limits.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ChannelStore } from '../store/channel-store.js';
import { OneByOne } from './one-by-one.js';

/**
 * Nothing disappears silently: the events that limits removed from queues are announced once, for the event log of the account,
 * and counted in the metrics when they are announced. Every replica checks; each loss is announced by one.
 */
@Injectable()
export class DropReporter extends BackgroundWork {
  constructor(
    private readonly store: ChannelStore,
    private readonly registry: ChannelRegistry,
    private readonly telemetry: Telemetry,
    private readonly time: SharedClock,
    private readonly oneByOne: OneByOne,
  ) {
    super(dropReportPeriodMs, 'dropped events not reported yet');
  }

  protected async step(): Promise<void> {
    for await (const channelIds of this.registry.dropping()) {
      const channels = channelIds.map((channelId) => ({ channelId }));
      await this.oneByOne.run(channels, 'drops of a channel not reported yet', (one) => this.report(one.channelId));
    }
    await this.store.forgetReports(new Date(this.time.now() - dropReportsKeptMs));
  }

  private async report(channelId: string): Promise<void> {
    await this.store.withLock(channelId, async (locked) => {
      const channel = await locked.find();
      const found = await this.registry.drops(channelId);
      // The channel is removed, or being created again: its drops are counted when it is removed.
      if (!channel || !found || found.createdAtMs !== channel.createdAt.getTime()) return;
      this.telemetry.dropped(await locked.announceDrops(channel, found.dropped));
      await this.registry.drops(channelId, found.dropped);
    });
  }
}
