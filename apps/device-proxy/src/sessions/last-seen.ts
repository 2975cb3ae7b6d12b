import { type Clock, CLOCK, type Logger, LOGGER, StopDeadline, type Timer } from '@lanyard/service';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { touchBatch, touchPeriodMs } from './limits.js';
import type { Session } from './session.js';
import { Sessions } from './sessions.js';

/**
 * When devices were last seen. Updated in memory at once and written to Redis in periodic batches: a write per message
 * would cost more than the messages.
 */
@Injectable()
export class LastSeen implements OnApplicationBootstrap, BeforeApplicationShutdown {
  /** Sessions with `unwritten` set. */
  private unwritten: Session[] = [];
  private readonly listeners: ((session: Session) => void)[] = [];
  private observeSequencesOf: (session: Session) => string = () => '';
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
    await this.deadline.step('last-seen times', async () => {
      await this.writing;
      await this.flush();
    });
  }

  /** Registers a listener that is called for each message of a device. */
  onMessage(listener: (session: Session) => void): void {
    this.listeners.push(listener);
  }

  /**
   * Sets the function that returns the ObserveSequences of the session's observations in the form that Redis stores.
   * They are written with the last-seen time; '' leaves the stored ones unchanged.
   */
  setObserveSequenceSource(observeSequencesOf: (session: Session) => string): void {
    this.observeSequencesOf = observeSequencesOf;
  }

  /** The last-seen time or the position of the observations has changed. */
  markUnwritten(session: Session): void {
    if (session.unwritten) return;
    session.unwritten = true;
    this.unwritten.push(session);
  }

  /** The device sent a message, so it is listening now. */
  recordMessage(session: Session): void {
    if (session.gateway) this.recordMessage(session.gateway);
    session.lastSeenAtMs = this.clock.now();
    session.silent = false;
    this.markUnwritten(session);
    for (const listener of this.listeners) listener(session);
  }

  /** Writes what has changed since it was last written. Never rejects. */
  async flush(): Promise<void> {
    const batch = this.unwritten;
    this.unwritten = [];
    // Cleared before the write: a device that is seen during it is written again, and a failure affects one batch only.
    for (const session of batch) session.unwritten = false;
    for (let at = 0; at < batch.length; at += touchBatch) await this.write(batch.slice(at, at + touchBatch));
  }

  private async write(batch: readonly Session[]): Promise<void> {
    try {
      const renewals = batch.map((session) => {
        const { deviceId, epoch, lastSeenAtMs } = session;
        return { deviceId, epoch, lastSeenAtMs, newest: this.observeSequencesOf(session) };
      });
      const owned = await this.sessions.store.renewAll(renewals);
      await this.sessions.dropLost(batch.filter((_, n) => owned[n] === false));
    } catch (error) {
      // Harmless: the next message causes another write.
      this.logger.warn({ err: error, devices: batch.length }, 'last-seen times not written');
    }
  }
}
