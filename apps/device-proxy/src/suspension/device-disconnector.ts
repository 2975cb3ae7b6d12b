import { type Clock, CLOCK, type Logger, LOGGER, RunningWork, StopDeadline } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CommandQueue } from '../commands/command-queue.js';
import { deviceBlocked, registrationRemoved } from '../commands/outcome.js';
import type { Session } from '../sessions/session.js';
import { SessionEnds } from '../sessions/session-ends.js';
import { Sessions } from '../sessions/sessions.js';
import { DeviceDirectory } from '../state/device-directory.js';
import { SubscriptionReconciler } from '../subscriptions/subscription-reconciler.js';
import { DeviceLinks } from '../transport/device-links.js';
import { Admission } from '../intake/admission.js';

/** The replica that owns the session acts at once; the others check after this time that it did. */
const ownerGraceMs = 3_000;

type Why = 'suspended' | 'deleted';

/** A suspended or deleted device loses its session, and its waiting commands fail (spec §3.1). */
@Injectable()
export class DeviceDisconnector implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly work: RunningWork;

  constructor(
    private readonly directory: DeviceDirectory,
    private readonly admission: Admission,
    private readonly sessions: Sessions,
    private readonly ends: SessionEnds,
    private readonly queue: CommandQueue,
    private readonly reconciler: SubscriptionReconciler,
    private readonly links: DeviceLinks,
    @Inject(CLOCK) clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {
    this.work = new RunningWork(clock);
  }

  /** Also handles devices that were suspended or deleted while no replica ran. */
  async onApplicationBootstrap(): Promise<void> {
    const { directory, queue } = this;
    directory.onBlocked((deviceId, why) => this.disconnect(deviceId, why));
    // Its gateway was another replica's, which did not end the session.
    this.sessions.listen({
      began: ({ deviceId, gateway }) => {
        const why = gateway && directory.whyBlocked(deviceId);
        if (why) this.disconnect(deviceId, why);
      },
    });
    for (const deviceId of await queue.devicesWithCommands()) {
      const why = directory.whyBlocked(deviceId);
      if (why) this.disconnect(deviceId, why);
    }
    for (const session of this.sessions.all()) {
      const why = directory.whyBlocked(session.deviceId);
      if (why) this.disconnect(session.deviceId, why);
    }
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.deadline.step('disconnects', () => this.work.stop());
  }

  private disconnect(deviceId: string, why: Why): void {
    this.work.run(
      () => this.carryOut(deviceId, why),
      (err) => {
        this.logger.error({ err, deviceId, why }, 'suspended or deleted device not cleaned up: will be retried');
        this.work.later(ownerGraceMs, () => this.disconnect(deviceId, why));
      },
    );
  }

  private async carryOut(deviceId: string, why: Why): Promise<void> {
    const { admission, reconciler, queue, sessions } = this;
    await sessions.exclusive.run(deviceId, async () => {
      const session = sessions.get(deviceId);
      if (session) await this.endSession(session, why);
    });
    await queue.failAll(deviceId, why === 'deleted' ? registrationRemoved : deviceBlocked);
    if (why === 'deleted') {
      await admission.forget(deviceId);
      await reconciler.loseAll(deviceId);
    }
    this.endAbandonedLater(deviceId, why);
  }

  private async endSession(session: Session, why: Why): Promise<void> {
    try {
      await this.ends.end(session, why);
    } finally {
      // A retry may not find the session here any more.
      this.links.to(session.address).disconnect(session.address, `Device ${why}`);
    }
  }

  /** The owner is gone: any replica may end the session, unless the device is admitted again by now. */
  private endAbandonedLater(deviceId: string, why: Why): void {
    const failed = (err: unknown) => {
      this.logger.error({ err, deviceId, why }, 'session of a suspended or deleted device not ended: will be retried');
      this.endAbandonedLater(deviceId, why);
    };
    this.work.later(ownerGraceMs, () => this.work.run(() => this.endAbandonedSession(deviceId, why), failed));
  }

  private async endAbandonedSession(deviceId: string, why: Why): Promise<void> {
    const { directory, sessions } = this;
    const stored = await sessions.store.read(deviceId);
    if (!stored || directory.whyBlocked(deviceId) !== why) return;
    await sessions.with({ by: 'registration', registrationId: stored.registrationId }, '', async (session) => {
      if (session) await this.endSession(session, why);
    });
  }
}
