import type { ConnectionState } from '@lanyard/dtls';
import { type Clock, CLOCK, type Logger, LOGGER, type Timer } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { StallDetector } from '../sessions/stall-detector.js';
import type { DtlsHost } from '../transport/connection-sharing.js';
import { ConnectionStore } from './connection-store.js';
import { KeptConnection } from './kept-connection.js';
import { keptLongerMs, saveScanMs, scriptMax } from './limits.js';
import { ReplicaEvents } from './replica-events.js';
import { ReplicaSlots } from './replica-slots.js';

/**
 * The connections with an id that this replica owns: saves them, and knows which may have been taken over while this process
 * stalled or its lease had ended. Those are neither sent on nor received from until Redis has confirmed them.
 */
@Injectable()
export class KeptConnections {
  private readonly byId = new Map<string, KeptConnection>();
  private host: DtlsHost | undefined;
  private timer: Timer | undefined;
  private working: Promise<void> | undefined;
  /** Rounds of doubts so far, and connections that are not confirmed since the latest one. */
  private round = 0;
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

  /** Saves all, so that another replica can continue each from its last record. */
  async stop(): Promise<void> {
    this.timer?.cancel();
    await this.working;
    await this.inChunks([...this.byId.values()], async (kept) => {
      await kept.saving;
      await this.save(kept);
    });
  }

  ids(): IterableIterator<string> {
    return this.byId.keys();
  }

  /** A handshake has ended. */
  opened(id: string): void {
    this.byId.set(id, new KeptConnection(id, this.store.firstEpoch(), this.round));
    // Those that wait for it are told; the next scan tries again.
    this.whenSaved(id)?.catch((err: unknown) => this.logger.warn({ err }, 'state of a DTLS connection not saved'));
  }

  /** Another replica had it before. */
  taken(id: string, epoch: number, state: ConnectionState): void {
    const kept = new KeptConnection(id, epoch, this.round);
    kept.saved(state, 0);
    this.byId.set(id, kept);
  }

  closed(id: string): void {
    const kept = this.forget(id);
    if (!kept) return;
    // What is left expires, or is refused by the device.
    this.store
      .remove(kept)
      .catch((err: unknown) => this.logger.warn({ err }, 'state of a DTLS connection not removed'));
  }

  /** Resolves when another replica could continue the connection; undefined when that is so. */
  whenSaved(id: string): Promise<void> | undefined {
    const kept = this.byId.get(id);
    return !kept || kept.isSaved ? undefined : this.save(kept);
  }

  /**
   * Resolves when the saved state is kept as long as the registration that the device has now; undefined when it is. A
   * failure is left to the next scan.
   */
  whenKept(id: string): Promise<void> | undefined {
    const kept = this.byId.get(id);
    return kept && this.isShort(kept) ? this.prolong(kept) : undefined;
  }

  private async prolong(kept: KeptConnection): Promise<void> {
    // What is being saved may have been made before the registration.
    await kept.saving?.catch(() => undefined);
    if (!this.isShort(kept)) return;
    kept.isShort = true;
    await this.save(kept).catch((err: unknown) => this.logger.warn({ err }, 'state of a DTLS connection not prolonged'));
  }

  private isShort({ id, keptUntilMs }: KeptConnection): boolean {
    return this.clock.now() + (this.host?.keptMs(id) ?? 0) > keptUntilMs;
  }

  /** Whether another replica may have the connection by now. */
  isDoubted(id: string): boolean {
    this.stallDetector.detect();
    if (this.doubted === 0) return false;
    const kept = this.byId.get(id);
    return kept !== undefined && kept.confirmed !== this.round;
  }

  get hasDoubts(): boolean {
    this.stallDetector.detect();
    return this.doubted > 0;
  }

  /** Compares the connection with Redis. False: another replica has it, and here it has ended. */
  async confirm(id: string): Promise<boolean> {
    const kept = this.byId.get(id);
    if (!kept || kept.confirmed === this.round) return kept !== undefined;
    const { round } = this;
    const isOurs = await this.store.confirm(kept);
    if (this.byId.get(id) !== kept) return false;
    if (!isOurs) await this.lose(kept);
    else if (kept.confirmed !== round && round === this.round) {
      kept.confirmed = round;
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
    const due = [...this.byId.values()].filter((kept) => {
      const connection = this.host?.connection(kept.id);
      return connection !== undefined && kept.isDue(connection, now);
    });
    await this.inChunks(due, (kept) => this.save(kept));
  }

  private save(kept: KeptConnection): Promise<void> {
    return (kept.saving ??= this.write(kept).finally(() => (kept.saving = undefined)));
  }

  private async write(kept: KeptConnection): Promise<void> {
    const { host } = this;
    const connection = host?.connection(kept.id);
    const saved = host?.save(kept.id);
    if (!host || !connection || !saved) return;
    const { epoch, id, isSaved } = kept;
    // More than is needed, so that few updates of a registration need a save.
    const keptMs = host.keptMs(id) + keptLongerMs;
    const isOurs = await this.store.save({ ...saved, epoch, keptMs, isNew: !isSaved });
    this.events.count('saved');
    if (!isOurs) return this.lose(kept);
    const nowMs = this.clock.now();
    kept.saved(saved.state, nowMs);
    kept.keptUntilMs = nowMs + keptMs;
    connection.confirmSaved(saved.state);
  }

  private async lose(kept: KeptConnection): Promise<void> {
    if (this.forget(kept.id) !== kept) return;
    this.events.count('lost');
    await this.host?.lose(kept.id);
  }

  private forget(id: string): KeptConnection | undefined {
    const kept = this.byId.get(id);
    this.byId.delete(id);
    if (kept && kept.confirmed !== this.round) this.doubted--;
    return kept;
  }

  private doubtAll(): void {
    this.round++;
    this.doubted = this.byId.size;
    this.work();
  }

  private confirmAll(): Promise<void> {
    const { round } = this;
    const doubted = [...this.byId.values()].filter(({ confirmed }) => confirmed !== round);
    return this.inChunks(doubted, ({ id }) => this.confirm(id));
  }

  private async inChunks(
    all: readonly KeptConnection[],
    work: (kept: KeptConnection) => Promise<unknown>,
  ): Promise<void> {
    const chunk = 2 * scriptMax;
    for (let at = 0; at < all.length; at += chunk) await Promise.all(all.slice(at, at + chunk).map(work));
  }
}
