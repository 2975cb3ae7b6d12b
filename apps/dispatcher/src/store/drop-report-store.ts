import { ChannelsDrops } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { type EntityManager, IsNull, LessThan, Not } from 'typeorm';
import type { Closed, Dropped } from '../queue/channel-registry.js';
import type { Channel } from '../db/channel.entity.js';
import { DropReport } from '../db/drop-report.entity.js';
import { type Drop, lastDrops, newDrops, nothingDropped } from '../queue/drop-report.js';
import { SharedClock } from '../queue/shared-clock.js';

type Subject = Pick<Channel, 'keyId' | 'accountId' | 'kind' | 'createdAt'>;

/**
 * Announces what channels lost, each event once: what was announced is remembered in the transaction that announces
 * it. Call under the lock of the key.
 */
@Injectable()
export class DropReportStore {
  constructor(
    private readonly outbox: Outbox,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  async reported(manager: EntityManager, keyId: string, createdAt: Date): Promise<Dropped> {
    return droppedOf(await manager.findOneBy(DropReport, { keyId, createdAt }));
  }

  /** Returns what was announced now. */
  async announce(manager: EntityManager, channel: Subject, now: Dropped): Promise<Drop[]> {
    return manager.transaction(async (transaction) => {
      const before = await this.reported(transaction, channel.keyId, channel.createdAt);
      const { drops, reported } = newDrops(before, now);
      if (drops.length === 0) return drops;
      const { keyId, createdAt } = channel;
      await this.put(transaction, { keyId, createdAt, ...reported, isFinal: false });
      await this.append(transaction, channel, drops, { atMs: this.clock.now() });
      return drops;
    });
  }

  /** Stores why a channel ended, for `announceLast`. */
  async recordEnding(manager: EntityManager, { keyId, createdAt }: Subject, ending: string): Promise<void> {
    await this.put(manager, { keyId, createdAt, ending });
  }

  /** Announces the remaining losses of a channel that has ended. Announces nothing when called again. */
  async announceLast(manager: EntityManager, closed: Closed): Promise<Drop[]> {
    return manager.transaction(async (transaction) => {
      const channel = { ...closed, keyId: closed.channelId, createdAt: new Date(closed.createdAtMs) };
      const { keyId, createdAt } = channel;
      const report = await transaction.findOneBy(DropReport, { keyId, createdAt });
      if (report?.isFinal) return [];
      const drops = lastDrops(droppedOf(report), closed);
      await this.put(transaction, { keyId, createdAt, ...closed.dropped, isFinal: true });
      await this.append(transaction, channel, drops, { atMs: closed.closedAtMs, ending: report?.ending });
      return drops;
    });
  }

  /** Deletes the reports of ended channels that were last changed before this time. */
  async forget(manager: EntityManager, before: Date): Promise<void> {
    const changedAt = LessThan(before);
    // A channel that PostgreSQL did not have when its queue was removed has no recorded ending.
    await manager.delete(DropReport, [
      { ending: Not(IsNull()), changedAt },
      { isFinal: true, changedAt },
    ]);
  }

  /** Fields that are left out keep their value. */
  private async put(manager: EntityManager, report: Omit<Partial<DropReport>, 'changedAt'>): Promise<void> {
    await manager.upsert(DropReport, { ...report, changedAt: new Date(this.clock.now()) }, ['keyId', 'createdAt']);
  }

  private async append(
    manager: EntityManager,
    { keyId, accountId, kind, createdAt }: Subject,
    drops: readonly Drop[],
    { atMs, ending }: { atMs: number; ending?: string | null | undefined },
  ): Promise<void> {
    const facts = drops.map((drop) => ({
      keyId,
      accountId,
      kind,
      channelCreatedAt: formatTimestamp(createdAt.getTime()),
      ...drop,
      ...(ending && drop.reason === 'removed' && { ending }),
      occurredAt: formatTimestamp(atMs),
    }));
    await this.outbox.appendAll(manager, ChannelsDrops, facts);
  }
}

const droppedOf = (report: Dropped | null): Dropped =>
  report ? { size: report.size, age: report.age, failed: report.failed } : nothingDropped;
