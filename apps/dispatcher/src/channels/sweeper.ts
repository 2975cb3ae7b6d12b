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

/** Rules about clients that stay away. */
const absences: readonly ExpiryRule[] = ['no-socket', 'no-poll'];

/** For this long after the service was away, clients may still come back to their channels. */
const returnMaxMs = withoutPollMaxMs;

/** Ends channels by the rules of time (spec §8). Every replica sweeps; one of them gets each expired channel. */
@Injectable()
export class Sweeper extends BackgroundWork {
  /** Before this time, clients may have stayed away because they were not served. */
  private servingSinceMs = -Infinity;

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
      await this.oneByOne.run(expired, 'channel not ended: tried again in a minute', async ({ channelId, rule }) => {
        if (!this.mayComeBack(rule)) await this.expire(channelId, rule);
      });
    } catch (error) {
      // Without Redis or PostgreSQL, no client is served.
      this.servingSinceMs = this.local.now();
      throw error;
    }
  }

  /** Whether the client may still come back. If so, the channel is checked again in a minute. */
  private mayComeBack(rule: ExpiryRule): boolean {
    return absences.includes(rule) && this.local.now() - this.servingSinceMs < returnMaxMs;
  }

  private async expire(channelId: string, rule: ExpiryRule): Promise<void> {
    const stillApplies = (): Promise<boolean> => this.registry.isExpired(channelId);
    const ended = await this.ends.endChannel(channelId, { status: 'expired', reason: reasons[rule] }, { stillApplies });
    if (ended) this.logger.info({ channelId, rule }, 'channel expired');
  }
}
