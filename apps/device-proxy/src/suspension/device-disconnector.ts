import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { CommandQueue } from '../commands/command-queue.js';
import { deviceBlocked, registrationRemoved } from '../commands/outcome.js';
import { FirmwareReports } from '../firmware/firmware-reports.js';
import type { Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { DeviceLinks } from '../transport/device-links.js';
import { Admission } from '../intake/admission.js';
import { WorkingProvider } from '../working-provider.js';

/**
 * The replica that owns the session acts at once; the others check after this time that the session has ended. Failures
 * are retried after the same time.
 */
const ownerGraceMs = 3_000;

type Why = 'suspended' | 'deleted';

/** A suspended or deleted device loses its session, and its waiting commands fail (spec §3.1). */
@Injectable()
export class DeviceDisconnector extends WorkingProvider implements OnApplicationBootstrap {
  constructor(
    private readonly dataSource: DataSource,
    private readonly directory: DeviceDirectory,
    private readonly admission: Admission,
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
    private readonly queue: CommandQueue,
    private readonly reconciler: SubscriptionReconciler,
    private readonly firmware: FirmwareReports,
    private readonly links: DeviceLinks,
  ) {
    super('disconnects');
  }

  /** Also handles devices that were suspended or deleted while no replica ran. */
  async onApplicationBootstrap(): Promise<void> {
    const { directory, queue } = this;
    directory.onBlocked((deviceId, why) => this.disconnect(deviceId, why));
    const deleted = directory.takeDeleted();
    // A session may come from another replica that did not end it, or be stored only after its device was blocked.
    this.sessions.listen({
      began: ({ deviceId }) => {
        const why = directory.whyBlocked(deviceId);
        if (why) this.disconnect(deviceId, why);
      },
    });
    const candidates = new Set([...(await queue.devicesWithCommands()), ...(await this.storedOf(deleted))]);
    for (const { deviceId } of this.sessions.all()) candidates.add(deviceId);
    for (const deviceId of candidates) {
      const why = deleted.has(deviceId) ? 'deleted' : directory.whyBlocked(deviceId);
      if (why) this.disconnect(deviceId, why);
    }
  }

  /** The devices for which more is stored than commands. */
  private async storedOf(deviceIds: ReadonlySet<string>): Promise<string[]> {
    if (deviceIds.size === 0) return [];
    const rows: { device_id: string }[] = await this.dataSource.query(
      `SELECT device_id FROM subscriptions WHERE device_id = ANY($1)
       UNION SELECT device_id FROM first_contacts WHERE device_id = ANY($1)
       UNION SELECT device_id FROM firmware_reports WHERE device_id = ANY($1)`,
      [[...deviceIds]],
    );
    return rows.map((row) => row.device_id);
  }

  /** `sinceMs`: when this replica learned that the device is blocked. */
  private disconnect(deviceId: string, why: Why, sinceMs = this.clock.now()): void {
    this.attempt(deviceId, why, sinceMs, () => this.carryOut(deviceId, why, sinceMs));
  }

  private attempt(deviceId: string, why: Why, sinceMs: number, work: () => Promise<void>): void {
    this.work.run(work, (err) => {
      this.logger.error({ err, deviceId, why }, 'suspended or deleted device not cleaned up: will be retried');
      this.work.later(ownerGraceMs, () => this.retry(deviceId, why, sinceMs));
    });
  }

  /** A device that is admitted again may have a new session since then, so only its earlier commands are ended. */
  private retry(deviceId: string, why: Why, sinceMs: number): void {
    if (this.isStill(deviceId, why)) this.disconnect(deviceId, why, sinceMs);
    else this.attempt(deviceId, why, sinceMs, () => this.failCommands(deviceId, why, sinceMs));
  }

  private isStill(deviceId: string, why: Why): boolean {
    const { directory } = this;
    return why === 'deleted' ? directory.get(deviceId) === undefined : directory.whyBlocked(deviceId) === why;
  }

  private async carryOut(deviceId: string, why: Why, sinceMs: number): Promise<void> {
    const { admission, firmware, reconciler, sessions } = this;
    await sessions.exclusive.run(deviceId, async () => {
      const session = sessions.get(deviceId);
      if (session) await this.endSession(session, why);
    });
    // Before the commands, which may take minutes: until then, a device that registers again would get the deleted id.
    if (why === 'deleted') await admission.forget(deviceId);
    await this.failCommands(deviceId, why, sinceMs);
    if (why === 'deleted') {
      await reconciler.loseAll(deviceId);
      await firmware.forget(deviceId);
    }
    this.endAbandonedLater(deviceId, why, sinceMs);
  }

  /**
   * This may take minutes. If the device is admitted again by then, it keeps the commands accepted after `sinceMs`, and those
   * accepted after its resumption: this replica may read a suspension that is over.
   */
  private failCommands(deviceId: string, why: Why, sinceMs: number): Promise<void> {
    const outcome = why === 'deleted' ? registrationRemoved : deviceBlocked;
    return this.queue.failAll(deviceId, ({ acceptedAt }) =>
      acceptedAt.getTime() <= Math.min(sinceMs, this.changedAtMs(deviceId)) || this.isStill(deviceId, why)
        ? outcome
        : undefined,
    );
  }

  /** For a device that is admitted again: its resumption, or a later change. */
  private changedAtMs(deviceId: string): number {
    return this.directory.get(deviceId)?.changedAtMs ?? Infinity;
  }

  private async endSession(session: Session, why: Why): Promise<void> {
    try {
      await this.ends.end(session, why);
    } finally {
      // Disconnected even after a failure, because a retry may no longer find the session here.
      this.links.to(session.address).disconnect(session.address, `Device ${why}`);
    }
  }

  /**
   * Checks after a while that the session has ended. If not, its owner is gone, so any replica may end the session,
   * unless the device is admitted again by then.
   */
  private endAbandonedLater(deviceId: string, why: Why, sinceMs: number): void {
    const failed = (err: unknown) => {
      this.logger.error({ err, deviceId, why }, 'session of a suspended or deleted device not ended: will be retried');
      this.endAbandonedLater(deviceId, why, sinceMs);
    };
    this.work.later(ownerGraceMs, () => this.work.run(() => this.endAbandonedSession(deviceId, why, sinceMs), failed));
  }

  private async endAbandonedSession(deviceId: string, why: Why, sinceMs: number): Promise<void> {
    const { sessions } = this;
    const stored = await sessions.store.read(deviceId);
    if (!stored || !this.isStill(deviceId, why)) return;
    await sessions.withSession({ by: 'registration', registrationId: stored.registrationId }, '', async (session) => {
      if (session) await this.endSession(session, why);
    });
    // Until then, commands were accepted for a device that the directory has forgotten.
    this.attempt(deviceId, why, sinceMs, () => this.failCommands(deviceId, why, sinceMs));
  }
}
