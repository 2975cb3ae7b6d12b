import type { Clock, Logger, Timer } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import { pollPeriodMs, pollWindowSeconds } from './limits.js';
import type { Sessions } from '../sessions/sessions.js';

/** What a nudge would have said. */
export interface CatchUpListener {
  commands(deviceId: string): void;
  interest(deviceId: string): void;
}

/**
 * Nudges may be lost. This replica looks for commands and changed subscriptions of its devices in what was stored
 * lately, and in everything when it may have missed more than that.
 */
export class CatchUp {
  private timer: Timer | undefined;
  private running: Promise<void> = Promise.resolve();
  private busy = false;
  private lookedAtMs = 0;
  /** Changes seen already, by device. */
  private seen = new Map<string, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: Sessions,
    private readonly listener: CatchUpListener,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.lookedAtMs = this.clock.now();
    this.timer = this.clock.every(pollPeriodMs, () => {
      if (this.busy) return;
      this.busy = true;
      this.running = this.look()
        .catch((error: unknown) => this.logger.warn({ err: error }, 'missed wake-ups not checked'))
        .finally(() => {
          this.busy = false;
        });
    });
  }

  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.running;
  }

  /** This replica stood still for so long that changes may have left the window. */
  private async everyInterest(): Promise<void> {
    await this.everything();
    for (const { deviceId } of this.sessions.all()) this.listener.interest(deviceId);
  }

  /** Every device of this replica that has commands waiting. */
  async everything(): Promise<void> {
    this.poke(
      await this.dataSource.query(`SELECT DISTINCT device_id FROM command WHERE state IN ('waiting', 'executing')`),
    );
  }

  private async look(): Promise<void> {
    const now = this.clock.now();
    const missed = now - this.lookedAtMs > (pollWindowSeconds * 1000) / 2;
    this.lookedAtMs = now;
    if (missed) await this.everyInterest();
    this.poke(
      await this.dataSource.query(
        `SELECT DISTINCT device_id FROM command WHERE state = 'waiting' AND stored_at > now() - make_interval(secs => $1)`,
        [pollWindowSeconds],
      ),
    );
    const changes: { device_id: string; changed_at: string }[] = await this.dataSource.query(
      `SELECT device_id, changed_at::text FROM interest_change WHERE changed_at > now() - make_interval(secs => $1)`,
      [pollWindowSeconds],
    );
    const before = this.seen;
    this.seen = new Map(changes.map((change) => [change.device_id, change.changed_at]));
    for (const { device_id: deviceId, changed_at: changedAt } of changes)
      if (before.get(deviceId) !== changedAt && this.sessions.get(deviceId)) this.listener.interest(deviceId);
  }

  private poke(rows: { device_id: string }[]): void {
    for (const { device_id: deviceId } of rows) if (this.sessions.get(deviceId)) this.listener.commands(deviceId);
  }
}
