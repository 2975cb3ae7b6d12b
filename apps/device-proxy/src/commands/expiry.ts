import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline, type Timer } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandQueue } from './command-queue.js';
import { expiryPeriodMs, historySweepMs } from './limits.js';

const devicesAtOnce = 200;

/** How many commands are examined to find those devices: a million may be due at once. */
const commandsAtOnce = 20_000;

/** Devices with a due command. Accounts take turns: the second device of an account comes after the first of every account. */
const dueSql = `
  SELECT device_id FROM (
    SELECT device_id, row_number() OVER (PARTITION BY account_id ORDER BY min(expires_at)) AS turn FROM (
      SELECT account_id, device_id, expires_at FROM commands
      WHERE expires_at <= $1 AND (state = 'waiting' OR state = 'executing' AND claim_until <= $1)
      ORDER BY expires_at LIMIT ${commandsAtOnce}) due
    GROUP BY account_id, device_id) devices
  ORDER BY turn LIMIT ${devicesAtOnce}`;

type Sweep = 'expiry' | 'history';

/** Expires commands of absent devices, and deletes finished ones after a while. */
@Injectable()
export class CommandExpiry implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private timers: Timer[] = [];
  /** Separate runs: finished commands are deleted even while commands expire all the time. */
  private readonly running = new Map<Sweep, Promise<void>>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: CommandQueue,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {}

  onApplicationBootstrap(): void {
    this.timers = [
      this.clock.every(expiryPeriodMs, () => this.run('expiry', () => this.expireDue())),
      this.clock.every(historySweepMs, () => this.run('history', () => this.queue.forgetOld())),
    ];
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await this.deadline.step('expiry of commands', async () => {
      await Promise.all(this.running.values());
    });
  }

  private run(sweep: Sweep, work: () => Promise<void>): void {
    if (this.running.has(sweep)) return;
    const run = work()
      .catch((error: unknown) => this.logger.error({ err: error }, 'commands not swept: will be retried'))
      .finally(() => {
        this.running.delete(sweep);
      });
    this.running.set(sweep, run);
  }

  private async expireDue(): Promise<void> {
    const now = new Date(this.clock.now());
    const rows: { device_id: string }[] = await this.dataSource.query(dueSql, [now]);
    const errors: unknown[] = [];
    for (const { device_id: deviceId } of rows)
      await this.queue.expire(deviceId).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, `commands of ${errors.length} devices are not ended`);
  }
}
