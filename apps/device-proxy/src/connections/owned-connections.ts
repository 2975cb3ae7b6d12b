import type { ConnectionState } from '@lanyard/dtls';
import { type Clock, CLOCK, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { StallDetector } from '../sessions/stall-detector.js';
import type { DtlsHost } from '../transport/connection-sharing.js';
import { ConnectionStore } from './connection-store.js';
import { OwnedConnection } from './owned-connection.js';
import { keptLongerMs, saveScanMs, scriptMax, stateKeptMs } from './limits.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';

/**
 * The connections with an id that this replica owns. Saves them, and knows which may have been taken over while this process
 * stalled or its lease had ended. Nothing is sent or received on those until Redis has confirmed them.
 */
@Injectable()
export class OwnedConnections {
  private readonly byId = new Map<string, OwnedConnection>();
  /** Connections that another replica has taken over, until they have ended here. */
  private readonly losing = new Map<string, Promise<void>>();
  private host: DtlsHost | undefined;
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  /**
   * How often all connections have become doubtful, because this process stalled or its lease had ended, and the number
   * of connections that Redis has not confirmed since the last time.
   */
  private doubtRound = 0;
  private doubted = 0;

  constructor(
    private readonly store: ConnectionStore,
    private readonly stallDetector: StallDetector,
    private readonly events: ReplicaEvents,
    slots: ReplicaSlots,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    slots.onLapse(() => this.doubtAll());
    stallDetector.onStall(() => this.doubtAll());
  }

  start(host: DtlsHost): void {
    this.host = host;
    this.timer = this.clock.every(saveScanMs, () => this.work());
  }

  /** Saves all connections, so that another replica can continue each from its last record. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.working;
    const failures: unknown[] = [];
    await this.inChunks([...this.byId.values()], async (owned) => {
      await owned.saving?.catch(() => undefined);
      // The others are saved nevertheless.
      await this.save(owned).catch((err: unknown) => failures.push(err));
    });
    if (failures.length > 0)
      this.logger.warn({ err: failures[0], connections: failures.length }, 'states of DTLS connections not saved');
  }

  ids(): IterableIterator<string> {
    return this.byId.keys();
  }

  /** A handshake has ended. */
  opened(id: string): void {
    this.byId.set(id, new OwnedConnection(id, this.store.firstEpoch(), this.doubtRound));
    // Callers of `whenSaved` get the error; the next scan tries again.
    this.whenSaved(id)?.catch((err: unknown) => this.logger.warn({ err }, 'state of a DTLS connection not saved'));
  }

  /** This replica has taken the connection over from another one. */
  takenOver(id: string, epoch: number, state: ConnectionState): void {
    const owned = new OwnedConnection(id, epoch, this.doubtRound);
    // The times of the last save are not known. With 0, the next scan or registration update saves the connection.
    owned.saved(state, 0, 0);
    this.byId.set(id, owned);
  }

  closed(id: string): void {
    const owned = this.forget(id);
    if (!owned) return;
    // If this fails, the state expires in Redis. If a replica restores the connection before, the device refuses it.
    this.remove(owned).catch((err: unknown) => this.logger.warn({ err }, 'state of a DTLS connection not removed'));
  }

  whenSaved(id: string): Promise<void> | undefined {
    const owned = this.byId.get(id);
    return !owned || owned.isSaved ? undefined : this.save(owned);
  }

  /** A failed save is left to the next scan. */
  whenStoredLongEnough(id: string): Promise<void> | undefined {
    const owned = this.byId.get(id);
    if (!owned || !this.isShort(owned)) return undefined;
    return owned.isShort ? owned.saving?.catch(() => undefined) : this.prolong(owned);
  }

  /** Waits for a save that is in progress, which would store the state again. */
  private async remove(owned: OwnedConnection): Promise<void> {
    await owned.saving?.catch(() => undefined);
    await this.store.remove(owned);
  }

  private async prolong(owned: OwnedConnection): Promise<void> {
    // The save in progress may have begun before the registration.
    await owned.saving?.catch(() => undefined);
    if (!this.isShort(owned)) return;
    owned.isShort = true;
    await this.save(owned).catch((err: unknown) =>
      this.logger.warn({ err }, 'state of a DTLS connection not prolonged'),
    );
  }

  private isShort(owned: OwnedConnection): boolean {
    return owned.endsBefore(this.host?.registeredUntilMs(owned.id) ?? 0);
  }

  /** Whether another replica has the connection, or may have it by now. */
  isDoubted(id: string): boolean {
    this.stallDetector.detect();
    if (this.losing.has(id)) return true;
    if (this.doubted === 0) return false;
    const owned = this.byId.get(id);
    return owned !== undefined && owned.confirmedRound !== this.doubtRound;
  }

  get hasDoubts(): boolean {
    this.stallDetector.detect();
    return this.doubted > 0 || this.losing.size > 0;
  }

  /** Compares the connection with Redis. False: another replica has it, and it has ended here. */
  async confirm(id: string): Promise<boolean> {
    const owned = this.byId.get(id);
    // The caller may then take the connection over again, and the loss in progress must not end the new one.
    if (!owned) await this.losing.get(id)?.catch(() => undefined);
    if (!owned || owned.confirmedRound === this.doubtRound) return owned !== undefined;
    const { doubtRound } = this;
    const isOurs = await this.store.confirm(owned);
    if (this.byId.get(id) !== owned) return false;
    if (!isOurs) await this.lose(owned);
    else if (owned.confirmedRound !== doubtRound && doubtRound === this.doubtRound) {
      owned.confirmedRound = doubtRound;
      this.doubted--;
    }
    return isOurs;
  }

  private work(): void {
    this.working ??= this.examine()
      .catch((err: unknown) => this.logger.warn({ err }, 'DTLS connections not saved'))
      .finally(() => (this.working = undefined));
  }

  private async examine(): Promise<void> {
    if (this.doubted > 0) await this.confirmAll();
    const now = this.clock.now();
    const due = [...this.byId.values()].filter((owned) => {
      const connection = this.host?.connection(owned.id);
      return connection !== undefined && owned.isDue(connection, now);
    });
    await this.inChunks(due, (owned) => this.save(owned));
  }

  private save(owned: OwnedConnection): Promise<void> {
    return (owned.saving ??= this.write(owned).finally(() => (owned.saving = undefined)));
  }

  private async write(owned: OwnedConnection): Promise<void> {
    const { host } = this;
    const connection = host?.connection(owned.id);
    const saved = host?.save(owned.id);
    if (!host || !connection || !saved) return;
    const { epoch, id, isSaved } = owned;
    // Longer than needed, so that few updates of a registration need a save.
    const keptMs = Math.max(stateKeptMs, host.registeredUntilMs(id) - this.clock.now()) + keptLongerMs;
    const isOurs = await this.store.save({ ...saved, epoch, keptMs, isNew: !isSaved });
    this.events.count('saved');
    if (!isOurs) return this.lose(owned);
    owned.saved(saved.state, this.clock.now(), keptMs);
    connection.confirmSaved(saved.state);
  }

  private async lose(owned: OwnedConnection): Promise<void> {
    const { id } = owned;
    if (this.byId.get(id) !== owned) return;
    this.forget(id);
    this.events.count('lost');
    const ending = Promise.resolve(this.host?.lose(id)).finally(() => this.losing.delete(id));
    this.losing.set(id, ending);
    await ending;
  }

  private forget(id: string): OwnedConnection | undefined {
    const owned = this.byId.get(id);
    this.byId.delete(id);
    if (owned && owned.confirmedRound !== this.doubtRound) this.doubted--;
    return owned;
  }

  private doubtAll(): void {
    this.doubtRound++;
    this.doubted = this.byId.size;
    this.work();
  }

  private confirmAll(): Promise<void> {
    const { doubtRound } = this;
    const doubted = [...this.byId.values()].filter(({ confirmedRound }) => confirmedRound !== doubtRound);
    return this.inChunks(doubted, ({ id }) => this.confirm(id));
  }

  private async inChunks(
    all: readonly OwnedConnection[],
    work: (owned: OwnedConnection) => Promise<unknown>,
  ): Promise<void> {
    const chunk = 2 * scriptMax;
    for (let at = 0; at < all.length; at += chunk) await Promise.all(all.slice(at, at + chunk).map(work));
  }
}
