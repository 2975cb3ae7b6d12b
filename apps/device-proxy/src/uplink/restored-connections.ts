import { Injectable } from '@nestjs/common';
import { Deliverer } from '../commands/deliverer.js';
import { Listeners } from '../listeners/listeners.js';
import { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import { Sessions } from '../sessions/sessions.js';
import { WorkingProvider } from '../working-provider.js';

/** Connections continued at a time, so that messages from devices do not wait behind all of them. */
const chunkSize = 100;

/**
 * Continues the DTLS connections of sessions that this replica had before it was restarted, so that their commands are sent at
 * once. Otherwise they would wait until the device sends something, which may be at its next update.
 */
@Injectable()
export class RestoredConnections extends WorkingProvider {
  private isStopped = false;

  constructor(
    private readonly sessions: Sessions,
    private readonly lastSeen: LastSeen,
    private readonly listeners: Listeners,
    private readonly deliverer: Deliverer,
  ) {
    super('restored DTLS connections');
  }

  /** After the listeners have opened. Returns at once. */
  resume(): void {
    this.work.run(
      () => this.resumeAll(),
      (err) =>
        this.logger.error({ err }, 'DTLS connections not continued: commands wait until their devices are heard'),
    );
  }

  /**
   * Called when the DTLS connection of a device was continued here. Its session is taken over as well, whatever the device has sent:
   * an acknowledgement or an answer alone would not lead to the session. Waiting commands continue.
   */
  takeSession(accountId: string, address: string): void {
    this.sessions
      .withSession({ by: 'address', accountId, address }, address, async (session) => {
        if (session) this.lastSeen.recordMessage(session);
      })
      // Then the next message of the device takes the session over.
      .catch((err: unknown) => this.logger.warn({ err, address }, 'session not taken over with its connection'));
  }

  override async beforeApplicationShutdown(): Promise<void> {
    this.isStopped = true;
    await super.beforeApplicationShutdown();
  }

  private async resumeAll(): Promise<void> {
    // A device behind a gateway uses the connection of the gateway.
    const sessions = [...this.sessions.all()].filter(({ silent, gateway }) => silent && !gateway);
    for (let at = 0; at < sessions.length && !this.isStopped; at += chunkSize)
      await Promise.all(sessions.slice(at, at + chunkSize).map((session) => this.resumeOne(session)));
  }

  private async resumeOne(session: Session): Promise<void> {
    const { address, silent } = session;
    // The device has sent a message since.
    if (!silent) return;
    if (!(await this.listeners.resume(address)) || session.isOver || session.address !== address) return;
    session.silent = false;
    for (const { deviceId } of [session, ...this.sessions.behind(session)]) this.deliverer.resume(deviceId);
  }
}
