import { Injectable } from '@nestjs/common';
import type { ChannelKind } from '../channel-kind.js';
import { CallbackDelivery } from '../delivery/callback-delivery.js';
import { Telemetry } from '../delivery/telemetry.js';
import { ChannelRegistry } from '../queue/channel-registry.js';
import type { CloseCause } from '../replicas/close-codes.js';
import { WakeUpBus } from '../replicas/wake-up-bus.js';
import { type Announcement, ChannelStore, type LockedChannel } from '../store/channel-store.js';
import type { AuditAction } from '../store/audit-actions.js';

/** Ends channels: PostgreSQL first, then Redis. A crash between the two is repaired, and every step may be repeated. */
@Injectable()
export class ChannelEnds {
  constructor(
    private readonly store: ChannelStore,
    private readonly registry: ChannelRegistry,
    private readonly bus: WakeUpBus,
    private readonly delivery: CallbackDelivery,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Removes the channel of a key. False when there is none (of this kind), or the reason no longer applies.
   * `closeCause`: why its socket is closed, if not because the channel was deleted.
   * `auditAction`: what an operator did.
   */
  async endChannel(
    keyId: string,
    announcement: Announcement,
    how: {
      kind?: ChannelKind;
      stillApplies?: () => Promise<boolean>;
      waitingMax?: number;
      closeCause?: CloseCause;
    } = {},
    auditAction?: AuditAction,
  ): Promise<boolean> {
    const work = async (locked: LockedChannel): Promise<boolean> => {
      const channel = await locked.find();
      if (channel && how.kind && channel.kind !== how.kind) return false;
      if (how.stillApplies && !(await how.stillApplies())) return false;
      if (channel) await locked.remove(channel, announcement, auditAction);
      // Done also without a row: an earlier attempt may have stopped here.
      await this.removeQueue(keyId, locked, how.closeCause);
      this.delivery.forget(keyId);
      return channel !== null;
    };
    return this.store.withLock(keyId, work, how.waitingMax);
  }

  /** Its socket may be at a replica that has not read of the deletion yet: that replica would close it with this code. */
  async endOfDeletedKey(keyId: string): Promise<void> {
    const announcement = { status: 'deleted', reason: 'its key was deleted' } as const;
    await this.endChannel(keyId, announcement, { closeCause: 'key revoked' });
  }

  /** Removes the queue of a channel that is not in PostgreSQL (any more). What the queue loses is announced first. */
  async removeQueue(keyId: string, locked: LockedChannel, cause: CloseCause = 'channel deleted'): Promise<void> {
    const upTo = await this.lastRevision(keyId, locked);
    const closed = await this.registry.close(keyId, upTo);
    if (!closed) return;
    if (closed.holder) this.bus.close(closed.holder, cause);
    this.telemetry.dropped(await locked.announceLastDrops(closed));
    await this.registry.remove(keyId, upTo);
  }

  /**
   * A revision that is not earlier than that of any channel of the key so far. A process that has lost its lock unnoticed must
   * not touch a newer channel, and cannot ask PostgreSQL any more.
   */
  private async lastRevision(keyId: string, locked: LockedChannel): Promise<string> {
    const next = await locked.nextRevision();
    const known = await this.registry.revisionOf(keyId);
    if (BigInt(known) <= BigInt(next)) return next;
    return locked.revisionAfter(known);
  }
}
