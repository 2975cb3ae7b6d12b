import { BackgroundWork } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Injectable } from '@nestjs/common';
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

const failure = 'commands not swept: will be retried';

/** Expires commands of absent devices. */
@Injectable()
export class CommandExpiry extends BackgroundWork {
  constructor(
    private readonly dataSource: DataSource,
    private readonly queue: CommandQueue,
  ) {
    super(expiryPeriodMs, failure);
  }

  protected async step(): Promise<void> {
    const now = new Date(this.clock.now());
    const rows: { device_id: string }[] = await this.dataSource.query(dueSql, [now]);
    const errors: unknown[] = [];
    for (const { device_id: deviceId } of rows)
      await this.queue.expire(deviceId).catch((error: unknown) => errors.push(error));
    if (errors.length > 0) throw new AggregateError(errors, `commands of ${errors.length} devices are not ended`);
  }
}

/** Deletes finished commands after a while, even while commands expire all the time. */
@Injectable()
export class CommandHistorySweep extends BackgroundWork {
  constructor(private readonly queue: CommandQueue) {
    super(historySweepMs, failure);
  }

  protected step(): Promise<void> {
    return this.queue.forgetOld();
  }
}
