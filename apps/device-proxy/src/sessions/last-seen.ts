import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { touchBatch, touchPeriodMs } from './limits.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';

/**
 * When devices were last heard. Known here at once, written to Redis together once in a while: a write for every
 * message would cost more than the messages.
 */
@Injectable()
export class LastSeen implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Those with `unwritten`. */
  private unwritten: Session[] = [];
  private readonly listeners: ((session: Session) => void)[] = [];
  private newestOf: (session: Session) => string = () => '';
  private timer: Timer | undefined;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly sessions: Sessions,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly deadline: StopDeadline,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = this.clock.every(touchPeriodMs, () => {
      this.writing = this.writing.then(() => this.flush());
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.timer?.cancel();
    await this.deadline.step('last-heard times', async () => {
      await this.writing;
      await this.flush();
    });
  }

  onMessage(listener: (session: Session) => void): void {
    this.listeners.push(listener);
  }

  /** Written along: where the observations of the session stand; '' when nothing is known of them. */
  writesAlong(newestOf: (session: Session) => string): void {
    this.newestOf = newestOf;
  }

  /** What is written along is another one than when the device was heard. */
  markUnwritten(session: Session): void {
    if (session.unwritten) return;
    session.unwritten = true;
    this.unwritten.push(session);
  }

  /** The device said something: it listens now. */
  recordMessage(session: Session): void {
    session.lastSeenAtMs = this.clock.now();
    session.silent = false;
    this.markUnwritten(session);
    for (const listener of this.listeners) listener(session);
  }

  /** Writes what is known now. */
  async flush(): Promise<void> {
    const batch = this.unwritten;
    this.unwritten = [];
    // Before it is written: who is heard meanwhile is written again, and one that fails keeps no other from it.
    for (const session of batch) session.unwritten = false;
    for (let at = 0; at < batch.length; at += touchBatch) await this.write(batch.slice(at, at + touchBatch));
  }

  private async write(batch: readonly Session[]): Promise<void> {
    try {
      const renewals = batch.map((session) => {
        const { deviceId, epoch, lastSeenAtMs } = session;
        return { deviceId, epoch, lastSeenAtMs, newest: this.newestOf(session) };
      });
      const ours = await this.sessions.store.renewAll(renewals);
      batch.forEach((session, n) => {
        if (ours[n] === false) this.dropStale(session);
      });
    } catch (error) {
      // Nothing hangs on it: the next message is written again.
      this.logger.warn({ err: error, devices: batch.length }, 'last-seen times not written');
    }
  }

  private dropStale(session: Session): void {
    if (this.sessions.get(session.deviceId) === session) this.sessions.drop(session);
  }
}
