import type { Clock, Logger, Timer } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { CommandQueue } from './command-queue.js';
import { expiryPeriodMs, historySweepMs } from './limits.js';

const devicesAtOnce = 200;

/** Ends commands whose time is over while no device is there, and forgets finished ones after a while. */
export class CommandExpiry {
  private timers: Timer[] = [];
  private running: Promise<void> = Promise.resolve();
  private busy = false;

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: CommandQueue,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timers = [
      this.clock.every(expiryPeriodMs, () => this.run(() => this.expireDue())),
      this.clock.every(historySweepMs, () => this.run(() => this.forgetOld())),
    ];
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await this.running;
  }

  private run(work: () => Promise<void>): void {
    if (this.busy) return;
    this.busy = true;
    this.running = work()
      .catch((error: unknown) => this.logger.error({ err: error }, 'commands not swept: tried again'))
      .finally(() => {
        this.busy = false;
      });
  }

  private async expireDue(): Promise<void> {
    const now = new Date(this.clock.now());
    const rows: { device_id: string }[] = await this.dataSource.query(
      `SELECT DISTINCT device_id FROM command
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
