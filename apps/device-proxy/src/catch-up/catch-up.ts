import { BackgroundWork } from '@lanyard/service';
import { DataSource } from 'typeorm';
import { Injectable } from '@nestjs/common';
import { CommandQueue } from '../commands/command-queue.js';
import { Deliverer } from '../commands/deliverer.js';
import { pollPeriodMs, pollWindowSeconds } from '../commands/limits.js';
import { WakeUps } from '../sessions/wake-ups.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { Sessions } from '../sessions/sessions.js';

/**
 * Reacts to wake-ups from other replicas. Wake-ups may be lost, so this replica also polls recently stored commands and
 * subscription changes of its devices, and checks everything when it may have missed more than that window.
 */
@Injectable()
export class CatchUp extends BackgroundWork {
  private lastPollMs = 0;
  /** When the subscriptions of each device last changed, as of the last poll: the same change is not applied again. */
  private seen = new Map<string, string>();

  constructor(
    private readonly dataSource: DataSource,
    private readonly sessions: Sessions,
    private readonly queue: CommandQueue,
    private readonly deliverer: Deliverer,
    private readonly reconciler: SubscriptionReconciler,
    wakeUps: WakeUps,
  ) {
    super(pollPeriodMs, 'missed wake-ups not checked');
    wakeUps.on('commands', ({ deviceId }) => this.deliverer.deliverWaiting(deviceId));
    wakeUps.on('interest', ({ deviceId }) => this.scheduleReconciliation(deviceId));
    wakeUps.onLost(() => {
      this.everything().catch((err: unknown) => this.logger.warn({ err }, 'waiting commands not checked'));
    });
  }

  override onApplicationBootstrap(): void {
    this.lastPollMs = this.clock.now();
    super.onApplicationBootstrap();
  }

  /** Delivers to every device of this replica that has commands waiting. */
  async everything(): Promise<void> {
    for (const deviceId of await this.queue.devicesWithCommands()) this.deliverer.deliverWaiting(deviceId);
  }

  protected async step(): Promise<void> {
    const now = this.clock.now();
    // This replica stalled, or its polls failed, for so long that it may have missed changes.
    if (now - this.lastPollMs > (pollWindowSeconds * 1000) / 2) {
      await this.everything();
      for (const { deviceId } of this.sessions.all()) this.scheduleReconciliation(deviceId);
      this.lastPollMs = now;
    }
    const waiting: { device_id: string }[] = await this.dataSource.query(
      `SELECT DISTINCT device_id FROM commands WHERE state = 'waiting' AND stored_at > now() - make_interval(secs => $1)`,
      [pollWindowSeconds],
    );
    for (const { device_id: deviceId } of waiting) this.deliverer.deliverWaiting(deviceId);
    const changes: { device_id: string; changed_at: string }[] = await this.dataSource.query(
      `SELECT device_id, changed_at::text FROM interest_changes WHERE changed_at > now() - make_interval(secs => $1)`,
      [pollWindowSeconds],
    );
    const before = this.seen;
    this.seen = new Map(changes.map((change) => [change.device_id, change.changed_at]));
    for (const { device_id: deviceId, changed_at: changedAt } of changes)
      if (before.get(deviceId) !== changedAt) this.scheduleReconciliation(deviceId);
    // Set only after a successful poll: changes that left the window during an outage are found after it.
    this.lastPollMs = now;
  }

  private scheduleReconciliation(deviceId: string): void {
    const session = this.sessions.get(deviceId);
    if (session) void this.reconciler.scheduleReconciliation(session);
  }
}
