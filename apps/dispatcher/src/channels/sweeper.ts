import type { Clock, Logger, Timer } from '@lanyard/service';
import type { ChannelRegistry, LapseRule } from '../queue/channel-registry.js';
import type { Channels } from './channels.js';

const sweepPeriodMs = 2_000;

const reasons: Record<LapseRule, string> = {
  idle: 'no incoming data for 48 hours',
  failed: 'delivery failed for 24 hours',
  stopped: 'stopped for 24 hours: its key was reset, switched off, or is in no group',
  'no-socket': 'no socket for 24 hours',
  'no-poll': 'no poll for 10 minutes',
};

/** Ends channels by the rules of time (spec §8). Every replica sweeps; each lapsed channel is given to one. */
export class Sweeper {
  private timer: Timer | undefined;
  private sweeping: Promise<void> | undefined;

  constructor(
    private readonly registry: ChannelRegistry,
    private readonly channels: Channels,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
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
    const ended = await this.channels.end(channelId, { status: 'expired', reason: reasons[rule] }, { stillSo });
    if (ended) this.logger.info({ channelId, rule }, 'channel expired');
  }
}
