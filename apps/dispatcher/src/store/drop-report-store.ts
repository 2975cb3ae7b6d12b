import { ChannelsDrops } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Closed, Dropped } from '../queue/channel-registry.js';
import type { Channel } from '../db/channel.entity.js';
import { type Drop, lastDrops, newDrops, nothingDropped } from '../queue/drop-report.js';
import { SharedClock } from '../queue/shared-clock.js';

interface Row extends Record<keyof Dropped, string> {
  ending: string | null;
  is_final: boolean;
}

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
    const row = await this.row(manager, keyId, createdAt);
    return row ? droppedOf(row) : nothingDropped;
  }

  /** Returns what was announced now. */
  async announce(manager: EntityManager, channel: Subject, now: Dropped): Promise<Drop[]> {
    return manager.transaction(async (transaction) => {
      const before = await this.reported(transaction, channel.keyId, channel.createdAt);
      const { drops, reported } = newDrops(before, now);
      if (drops.length === 0) return drops;
      await this.save(transaction, channel, reported);
      await this.append(transaction, channel, drops, this.clock.now());
      return drops;
    });
  }

  /** Keeps why a channel ended until `announceLast`. */
  async ends(manager: EntityManager, { keyId, createdAt }: Subject, ending: string): Promise<void> {
    await manager.query(
      `INSERT INTO dispatcher.drop_reports (key_id, created_at, ending, changed_at) VALUES ($1, $2, $3, $4)
       ON CONFLICT (key_id, created_at) DO UPDATE SET ending = $3, changed_at = $4`,
      [keyId, createdAt, ending, this.now()],
    );
  }

  /** The rest of a channel that has ended. Announces nothing when called again. */
  async announceLast(manager: EntityManager, closed: Closed): Promise<Drop[]> {
    return manager.transaction(async (transaction) => {
      const channel = { ...closed, keyId: closed.channelId, createdAt: new Date(closed.createdAtMs) };
      const row = await this.row(transaction, channel.keyId, channel.createdAt);
      if (row?.is_final) return [];
      const drops = lastDrops(row ? droppedOf(row) : nothingDropped, closed);
      await this.save(transaction, channel, closed.dropped, true);
      await this.append(transaction, channel, drops, closed.closedAtMs, row?.ending ?? undefined);
      return drops;
    });
  }

  /** Reports of channels that ended before this time, and whose last word is old. */
  async forget(manager: EntityManager, before: Date): Promise<void> {
    await manager.query('DELETE FROM dispatcher.drop_reports WHERE ending IS NOT NULL AND changed_at < $1', [before]);
  }

  private async row(manager: EntityManager, keyId: string, createdAt: Date): Promise<Row | undefined> {
    const [row] = (await manager.query(
      'SELECT size, age, failed, ending, is_final FROM dispatcher.drop_reports WHERE key_id = $1 AND created_at = $2',
      [keyId, createdAt],
    )) as Row[];
    return row;
  }

  private async save(
    manager: EntityManager,
    { keyId, createdAt }: Pick<Subject, 'keyId' | 'createdAt'>,
    { size, age, failed }: Dropped,
    isFinal = false,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO dispatcher.drop_reports (key_id, created_at, size, age, failed, is_final, changed_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (key_id, created_at) DO UPDATE SET size = $3, age = $4, failed = $5, is_final = $6, changed_at = $7`,
      [keyId, createdAt, size, age, failed, isFinal, this.now()],
    );
  }

  private async append(
    manager: EntityManager,
    { keyId, accountId, kind, createdAt }: Subject,
    drops: readonly Drop[],
    atMs: number,
    ending?: string,
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

  private now(): Date {
    return new Date(this.clock.now());
  }
}

const droppedOf = ({ size, age, failed }: Row): Dropped => ({
  size: Number(size),
  age: Number(age),
  failed: Number(failed),
});
