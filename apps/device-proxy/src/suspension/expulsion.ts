import type { Clock, Logger, Timer } from '@lanyard/service';
import type { DataSource } from 'typeorm';
import type { CommandQueue } from '../commands/command-queue.js';
import { deviceBlocked, registrationRemoved } from '../commands/outcome.js';
import type { Session } from '../sessions/session.js';
import type { SessionFacts } from '../sessions/session-facts.js';
import type { Sessions } from '../sessions/sessions.js';
import type { Keeper } from '../subscriptions/keeper.js';
import type { Admission } from '../intake/admission.js';
import type { DeviceDirectory } from '../intake/device-directory.js';

/** The replica that owns the session acts at once; the others look after this time whether it did. */
const ownerGraceMs = 3_000;

type Why = 'suspended' | 'deleted';

interface ExpulsionParts {
  directory: DeviceDirectory;
  admission: Admission;
  sessions: Sessions;
  facts: SessionFacts;
  queue: CommandQueue;
  keeper: Keeper;
  dataSource: DataSource;
  clock: Clock;
  logger: Logger;
}

/** A suspended or deleted device loses its session, and its waiting commands fail (spec §3.1). */
export class Expulsion {
  private readonly running = new Set<Promise<void>>();
  private readonly timers = new Set<Timer>();

  constructor(private readonly parts: ExpulsionParts) {}

  /** Also makes up for what was decided while no replica ran. */
  async start(): Promise<void> {
    const { dataSource, directory } = this.parts;
    directory.onExpelled((deviceId, why) => this.expel(deviceId, why));
    const rows: { device_id: string }[] = await dataSource.query(
      `SELECT DISTINCT device_id FROM command WHERE state IN ('waiting', 'executing')`,
    );
    for (const { device_id: deviceId } of rows) {
      const why = directory.whyExpelled(deviceId);
      if (why) this.expel(deviceId, why);
    }
    for (const session of this.parts.sessions.all()) {
      const why = directory.whyExpelled(session.deviceId);
      if (why) this.expel(session.deviceId, why);
    }
  }

  async stop(): Promise<void> {
    for (const timer of this.timers) timer.cancel();
    await Promise.all(this.running);
  }

  private later(work: () => void): void {
    const timer = this.parts.clock.after(ownerGraceMs, () => {
      this.timers.delete(timer);
      work();
    });
    this.timers.add(timer);
  }

  private expel(deviceId: string, why: Why): void {
    const run: Promise<void> = this.carryOut(deviceId, why)
      .catch((error: unknown) => {
        this.parts.logger.error(
          { err: error, deviceId, why },
          'suspended or deleted device not cleaned up: will be retried',
        );
        this.later(() => this.expel(deviceId, why));
      })
      .finally(() => this.running.delete(run));
    this.running.add(run);
  }

  private async carryOut(deviceId: string, why: Why): Promise<void> {
    const { admission, keeper, queue, sessions } = this.parts;
    await sessions.exclusive.run(deviceId, async () => {
      const session = sessions.get(deviceId);
      if (session) await this.end(session, why);
    });
    await queue.failAll(deviceId, why === 'deleted' ? registrationRemoved : deviceBlocked);
    if (why === 'deleted') {
      await admission.forget(deviceId);
      await keeper.loseAll(deviceId);
    }
    this.later(() => void this.endAbandoned(deviceId, why));
  }

  private async end(session: Session, why: Why): Promise<void> {
    await this.parts.facts.ended(session, 'deregistered', why);
    await this.parts.sessions.close(session);
  }

  /** The owner is gone: any replica may end the session, unless the device is admitted again by now. */
  private async endAbandoned(deviceId: string, why: Why): Promise<void> {
    const { directory, sessions, logger } = this.parts;
    try {
      const stored = await sessions.store.read(deviceId);
      if (!stored || directory.whyExpelled(deviceId) !== why) return;
      await sessions.with({ by: 'registration', registrationId: stored.registrationId }, '', async (session) => {
        if (session) await this.end(session, why);
      });
    } catch (error) {
      logger.error(
        { err: error, deviceId, why },
        'session of a suspended or deleted device not ended: will be retried',
      );
      this.later(() => void this.endAbandoned(deviceId, why));
    }
  }
}
