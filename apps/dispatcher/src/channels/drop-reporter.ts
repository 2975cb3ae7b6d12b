import { type Clock, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Telemetry } from '../delivery/telemetry.js';
import { dropReportPeriodMs, dropReportsKeptMs } from '../limits.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ChannelStore } from '../store/channel-store.js';

/**
 * Nothing disappears silently: what limits removed from queues is announced once, for the event log of the account,
 * and counted in the metrics when it is announced. Every replica looks; each loss is announced by one.
 */
@Injectable()
export class DropReporter implements OnApplicationBootstrap {
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;

  constructor(
    private readonly store: ChannelStore,
    private readonly registry: ChannelRegistry,
    private readonly telemetry: Telemetry,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(dropReportPeriodMs, () => {
      this.working ??= this.look()
        .catch((err: unknown) => this.logger.warn({ err }, 'dropped events not reported yet'))
        .finally(() => (this.working = undefined));
    });
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.working;
  }

  private async look(): Promise<void> {
    for await (const channels of this.registry.dropping()) for (const id of channels) await this.report(id);
    await this.store.forgetReports(new Date(this.clock.now() - dropReportsKeptMs));
  }

  private async report(channelId: string): Promise<void> {
    await this.store.withLock(channelId, async (locked) => {
      const channel = await locked.find();
      const found = await this.registry.drops(channelId);
      // Removed, or being created again: its drops are counted when it is removed.
      if (!channel || !found || found.createdAtMs !== channel.createdAt.getTime()) return;
      this.telemetry.dropped(await locked.announceDrops(channel, found.dropped));
      await this.registry.drops(channelId, found.dropped);
    });
  }
}
