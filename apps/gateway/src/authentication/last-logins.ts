import type { Clock, Logger, Timer } from '@lanyard/service';
import type { DataSource } from 'typeorm';

/** How late `last_login_time` may be. */
const flushPeriodMs = 5_000;

/** When each key was used last: collected in memory, written together. A crash loses seconds of it, nothing else. */
export class LastLogins {
  private seen = new Map<string, number>();
  private timer: Timer | undefined;

  constructor(
    private readonly database: DataSource,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = this.clock.every(flushPeriodMs, () => void this.flush());
  }

  note(keyId: string): void {
    this.seen.set(keyId, this.clock.now());
  }

  async flush(): Promise<void> {
    const seen = this.seen;
    this.seen = new Map();
    if (seen.size === 0) return;
    try {
      await this.database.query(
        `UPDATE api_keys k SET last_login_at = greatest(k.last_login_at, v.at)
         FROM unnest($1::text[], $2::timestamptz[]) AS v (id, at) WHERE k.id = v.id`,
        [[...seen.keys()], [...seen.values()].map((ms) => new Date(ms))],
      );
    } catch (err) {
      this.seen = new Map([...seen, ...this.seen]);
      this.logger.warn({ err }, 'last logins not written, tried again');
    }
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.flush();
  }
}
