import { BackgroundWork } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { CallbackDelivery } from '../delivery/callback-delivery.js';
import { ChannelRegistry, type ExpiryRule } from '../queue/channel-registry.js';
import { ChannelEnds } from './channel-ends.js';

const sweepPeriodMs = 2_000;

const reasons: Record<ExpiryRule, string> = {
  idle: 'no incoming data for 48 hours',
  failed: 'delivery failed for 24 hours',
  stopped: 'stopped for 24 hours: its key was reset, switched off, or is in no group',
  'no-socket': 'no socket for 24 hours',
  'no-poll': 'no poll for 10 minutes',
};

/** Ends channels by the rules of time (spec §8). Every replica sweeps; one of them gets each expired channel. */
@Injectable()
export class Sweeper extends BackgroundWork {
  constructor(
    private readonly registry: ChannelRegistry,
    private readonly ends: ChannelEnds,
    delivery: CallbackDelivery,
  ) {
    super(sweepPeriodMs, 'sweep failed');
    delivery.onFailedForTooLong((channelId) => this.expire(channelId, 'failed'));
  }

  protected async step(): Promise<void> {
    for (const { channelId, rule } of await this.registry.claimExpired()) await this.expire(channelId, rule);
  }

  private async expire(channelId: string, rule: ExpiryRule): Promise<void> {
    const stillApplies = (): Promise<boolean> => this.registry.isExpired(channelId);
    const ended = await this.ends.endChannel(channelId, { status: 'expired', reason: reasons[rule] }, { stillApplies });
    if (ended) this.logger.info({ channelId, rule }, 'channel expired');
  }
}
