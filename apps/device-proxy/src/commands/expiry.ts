import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline, type Timer } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandQueue } from './command-queue.js';
import { expiryPeriodMs, historySweepMs } from './limits.js';

const devicesAtOnce = 200;

/** Expires commands of absent devices, and deletes finished ones after a while. */
@Injectable()
export class CommandExpiry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timers: Timer[] = [];
  private running: Promise<void> = Promise.resolve();
  private busy = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: CommandQueue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {}

  onApplicationBootstrap(): void {
    this.timers = [
      this.clock.every(expiryPeriodMs, () => this.run(() => this.expireDue())),
      this.clock.every(historySweepMs, () => this.run(() => this.forgetOld())),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await this.deadline.step('expiry of commands', () => this.running);
  }

  private run(work: () => Promise<void>): void {
    if (this.busy) return;
    this.busy = true;
    this.running = work()
      .catch((error: unknown) => this.logger.error({ err: error }, 'commands not swept: will be retried'))
      .finally(() => {
        this.busy = false;
      });
  }

  private async expireDue(): Promise<void> {
    const now = new Date(this.clock.now());
    const rows: { device_id: string }[] = await this.dataSource.query(
      `SELECT DISTINCT device_id FROM commands
       WHERE expires_at <= $1 AND (state = 'waiting' OR state = 'executing' AND claim_until <= $1) LIMIT $2`,
      [now, devicesAtOnce],
    );
    const errors: unknown[] = [];
    for (const { device_id: deviceId } of rows)
      await this.queue.expire(deviceId).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, `commands of ${errors.length} devices are not ended`);
  }

  private async forgetOld(): Promise<void> {
    await this.queue.forgetOld();
  }
}
