import { type Clock, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CallbackDelivery } from '../delivery/callback-delivery.js';
import { ChannelRegistry, type LapseRule } from '../queue/channel-registry.js';
import { SharedClock } from '../queue/shared-clock.js';
import { ChannelEnds } from './channel-ends.js';

const sweepPeriodMs = 2_000;

const reasons: Record<LapseRule, string> = {
  idle: 'no incoming data for 48 hours',
  failed: 'delivery failed for 24 hours',
  stopped: 'stopped for 24 hours: its key was reset, switched off, or is in no group',
  'no-socket': 'no socket for 24 hours',
  'no-poll': 'no poll for 10 minutes',
};

/** Ends channels by the rules of time (spec §8). Every replica sweeps; one of them gets each lapsed channel. */
@Injectable()
export class Sweeper implements OnApplicationBootstrap {
  private timer: Timer | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly ends: ChannelEnds,
    @Inject(SharedClock) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    delivery: CallbackDelivery,
  ) {
    delivery.onFailedForTooLong((channelId) => this.expire(channelId, 'failed'));
  }

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(sweepPeriodMs, () => {
      this.sweeping ??= this.sweep()
        .catch((err: unknown) => this.logger.warn({ err }, 'sweep failed'))
        .finally(() => (this.sweeping = undefined));
    });
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.sweeping;
  }

  async sweep(): Promise<void> {
    for (const { channelId, rule } of await this.registry.lapsed()) await this.expire(channelId, rule);
  }

  async expire(channelId: string, rule: LapseRule): Promise<void> {
    const stillSo = (): Promise<boolean> => this.registry.hasLapsed(channelId);
    const ended = await this.ends.endChannel(channelId, { status: 'expired', reason: reasons[rule] }, { stillSo });
    if (ended) this.logger.info({ channelId, rule }, 'channel expired');
  }
}
