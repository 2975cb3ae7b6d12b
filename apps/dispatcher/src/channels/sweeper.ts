import { BackgroundWork, type Clock } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { CallbackDelivery } from '../delivery/callback-delivery.js';
import { withoutPollMaxMs } from '../limits.js';
import { ChannelRegistry, type ExpiryRule } from '../queue/channel-registry.js';
import { LocalClock } from '../queue/local-clock.js';
import { ChannelEnds } from './channel-ends.js';
import { OneByOne } from './one-by-one.js';

const sweepPeriodMs = 2_000;

const reasons: Record<ExpiryRule, string> = {
  idle: 'no incoming data for 48 hours',
  failed: 'delivery failed for 24 hours',
  stopped: 'stopped for 24 hours: its key was reset, switched off, or is in no group',
  'no-socket': 'no socket for 24 hours',
  'no-poll': 'no poll for 10 minutes',
};

/** Rules that a channel also meets because the service was away: no client was served, nothing was delivered, no event came. */
const metByOutages: readonly ExpiryRule[] = ['no-socket', 'no-poll', 'failed', 'idle'];

/** For this long after the service was away, clients may still come back, deliveries succeed, and events come. */
const returnMaxMs = withoutPollMaxMs;

/** Ends channels by the rules of time (spec §8). Every replica sweeps; one of them gets each expired channel. */
@Injectable()
export class Sweeper extends BackgroundWork {
  /** Before this time, channels may have met a rule because they were not served. Infinity until the start. */
  private servingSinceMs = Infinity;

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly ends: ChannelEnds,
    private readonly oneByOne: OneByOne,
    delivery: CallbackDelivery,
    @Inject(LocalClock) private readonly local: Clock,
  ) {
    super(sweepPeriodMs, 'sweep failed');
    delivery.onFailedForTooLong((channelId) => this.expire(channelId, 'failed'));
  }

  override onApplicationBootstrap(): void {
    this.servingSinceMs = this.local.now();
    super.onApplicationBootstrap();
  }

  protected async step(): Promise<void> {
    try {
      const expired = await this.registry.claimExpired();
      await this.oneByOne.run(expired, 'channel not ended: tried again in a minute', ({ channelId, rule }) =>
        this.expire(channelId, rule),
      );
    } catch (error) {
      // Without Redis or PostgreSQL, no channel is served.
      this.servingSinceMs = this.local.now();
      throw error;
    }
  }

  /** Whether what the channel lacked may still come. If so, it is checked again in a minute. */
  private mayBeServed(rule: ExpiryRule): boolean {
    return metByOutages.includes(rule) && this.local.now() - this.servingSinceMs < returnMaxMs;
  }

  private async expire(channelId: string, rule: ExpiryRule): Promise<void> {
    if (this.mayBeServed(rule)) return;
    const stillApplies = (): Promise<boolean> => this.registry.isExpired(channelId);
    const ended = await this.ends.endChannel(channelId, { status: 'expired', reason: reasons[rule] }, { stillApplies });
    if (ended) this.logger.info({ channelId, rule }, 'channel expired');
  }
}
