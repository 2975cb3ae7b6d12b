import { ChannelsState } from '@lanyard/contracts';
import { AuditTrail, Outbox } from '@lanyard/kafka';
import { type Clock, formatTimestamp, KeyedMutex } from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, MoreThan } from 'typeorm';
import type { Closed, Dropped } from '../queue/channel-registry.js';
import { Channel } from '../db/channel.entity.js';
import type { AuditAction } from './audit-actions.js';
import type { Drop } from '../queue/drop-report.js';
import { SharedClock } from '../queue/shared-clock.js';
import { DropReportStore } from './drop-report-store.js';

export type ChannelStatus = 'created' | 'connected' | 'disconnected' | 'expired' | 'deleted';

export interface Announcement {
  status: ChannelStatus;
  reason?: string;
}

/** First half of the advisory locks on keys. */
const lockSpace = 0xd15b;

/** First half of the advisory lock under which the revisions are moved ahead: they never go back. */
const countingSpace = 0xd15c;

/** More revisions than are assigned while they are moved ahead. */
const countingSpare = 1_000;

/** A lock holder that sends PostgreSQL nothing for this long loses the lock. */
const silenceMaxMs = 15_000;

const pageSize = 500;

/** The registered channels, in PostgreSQL. */
@Injectable()
export class ChannelStore {
  protected readonly silenceMaxMs: number = silenceMaxMs;
  private readonly mutex = new KeyedMutex();

  constructor(
    private readonly database: DataSource,
    private readonly outbox: Outbox,
    private readonly reports: DropReportStore,
    private readonly audit: AuditTrail,
    @Inject(SharedClock) private readonly clock: Clock,
  ) {}

  find(keyId: string): Promise<Channel | null> {
    return this.database.getRepository(Channel).findOneBy({ keyId });
  }

  /**
   * Runs `work` one at a time per key, in all replicas: what it does to PostgreSQL, to Redis and to the outbox happens in one
   * order. The lock outlasts transactions and ends with the connection, which PostgreSQL closes when the connection is idle
   * for too long: a suspended replica does not hold a key for long. Throws RateLimited when more than `waitingMax` calls in
   * this replica would wait for the lock.
   */
  withLock<T>(keyId: string, work: (locked: LockedChannel) => Promise<T>, waitingMax?: number): Promise<T> {
    return this.mutex.run(keyId, () => this.locked(keyId, work), waitingMax);
  }

  /** All channels, a page at a time, by key id. */
  async *pages(): AsyncGenerator<Channel[]> {
    const repository = this.database.getRepository(Channel);
    for (let after = ''; ;) {
      const page = await repository.find({
        where: { keyId: MoreThan(after) },
        order: { keyId: 'ASC' },
        take: pageSize,
      });
      if (page.length === 0) return;
      yield page;
      after = page.at(-1)?.keyId ?? '';
    }
  }

  /** Deletes the reports of channels that ended before this time. */
  async forgetReports(before: Date): Promise<void> {
    await this.reports.forget(this.database.manager, before);
  }

  /** Those of the given keys that have a channel. */
  async existing(keyIds: readonly string[]): Promise<Set<string>> {
    const rows = (await this.database.query('SELECT key_id FROM dispatcher.channels WHERE key_id = ANY($1)', [
      keyIds,
    ])) as { key_id: string }[];
    return new Set(rows.map((row) => row.key_id));
  }

  private async locked<T>(keyId: string, work: (locked: LockedChannel) => Promise<T>): Promise<T> {
    const runner = this.database.createQueryRunner();
    try {
      await runner.query(`SELECT set_config('idle_session_timeout', $3, false), pg_advisory_lock($1, hashtext($2))`, [
        lockSpace,
        keyId,
        String(this.silenceMaxMs),
      ]);
      try {
        const { manager } = runner;
        return await work(new LockedChannel(keyId, manager, this.outbox, this.reports, this.audit, this.clock));
      } finally {
        await runner
          .query(`SELECT pg_advisory_unlock($1, hashtext($2)), set_config('idle_session_timeout', '0', false)`, [
            lockSpace,
            keyId,
          ])
          .catch(() => undefined);
      }
    } finally {
      await runner.release();
    }
  }
}

/** The channel of a key, if it has one, while the lock of the key is held. */
export class LockedChannel {
  constructor(
    private readonly keyId: string,
    private readonly manager: EntityManager,
    private readonly outbox: Outbox,
    private readonly reports: DropReportStore,
    private readonly audit: AuditTrail,
    private readonly clock: Clock,
  ) {}

  now(): Date {
    return new Date(this.clock.now());
  }

  find(): Promise<Channel | null> {
    return this.manager.findOneBy(Channel, { keyId: this.keyId });
  }

  /** Stores the channel under a new revision, and announces it. `auditAction`: what an operator did. */
  async save(
    channel: Omit<Channel, 'revision'>,
    announcement?: Announcement,
    auditAction?: AuditAction,
  ): Promise<Channel> {
    return this.manager.transaction(async (manager) => {
      const saved = { ...channel, revision: await this.nextRevision(manager) };
      await manager.upsert(Channel, saved, ['keyId']);
      if (announcement) await this.append(manager, saved, announcement);
      if (auditAction) await this.record(manager, saved, auditAction);
      return saved;
    });
  }

  /** A revision greater than that of every channel that was saved before. */
  async nextRevision(manager = this.manager): Promise<string> {
    const [row] = (await manager.query(`SELECT nextval('dispatcher.channel_revisions') AS revision`)) as {
      revision: string;
    }[];
    return String(row?.revision);
  }

  /**
   * A revision that is greater than `known` too. Under the lock, Redis is ahead of PostgreSQL only if PostgreSQL was
   * restored, or failed over without its last commits, and counts from an earlier revision again.
   */
  async revisionAfter(known: string): Promise<string> {
    return this.manager.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock($1, 0)', [countingSpace]);
      const [row] = (await manager.query(
        `SELECT setval('dispatcher.channel_revisions', greatest(nextval('dispatcher.channel_revisions'), $1::bigint) + ${countingSpare}) AS revision`,
        [known],
      )) as { revision: string }[];
      return String(row?.revision);
    });
  }

  /** Stores the channel unchanged under a revision after `known`. */
  async saveAfter(channel: Channel, known: string): Promise<Channel> {
    const saved = { ...channel, revision: await this.revisionAfter(known) };
    await this.manager.upsert(Channel, saved, ['keyId']);
    return saved;
  }

  async remove(channel: Channel, announcement: Announcement, auditAction?: AuditAction): Promise<void> {
    await this.manager.transaction(async (manager) => {
      await manager.delete(Channel, { keyId: this.keyId });
      await this.reports.recordEnding(manager, channel, announcement.reason ?? announcement.status);
      await this.append(manager, channel, announcement);
      if (auditAction) await this.record(manager, channel, auditAction);
    });
  }

  /** The losses of events of this channel that were announced. */
  reportedDrops({ keyId, createdAt }: Channel): Promise<Dropped> {
    return this.reports.reported(this.manager, keyId, createdAt);
  }

  /** Announces what is new in the counts of lost events, and returns it. */
  announceDrops(channel: Channel, dropped: Dropped): Promise<Drop[]> {
    return this.reports.announce(this.manager, channel, dropped);
  }

  /** Announces what a removed channel lost since the last report, and why it ended; returns it. The second time: nothing. */
  announceLastDrops(closed: Closed): Promise<Drop[]> {
    return this.reports.announceLast(this.manager, closed);
  }

  async announce(channel: Channel, announcement: Announcement): Promise<void> {
    await this.append(this.manager, channel, announcement);
  }

  private async record(
    manager: EntityManager,
    { accountId }: Channel,
    { action, ...about }: AuditAction,
  ): Promise<void> {
    await this.audit.record(manager, action, { ...about, accountId }, this.now());
  }

  private append(
    manager: EntityManager,
    { keyId, accountId, kind }: Pick<Channel, 'keyId' | 'accountId' | 'kind'>,
    { status, reason }: Announcement,
  ): Promise<void> {
    const changedAt = formatTimestamp(this.now());
    return this.outbox.append(manager, ChannelsState, {
      keyId,
      accountId,
      kind,
      status,
      ...(reason && { reason }),
      changedAt,
    });
  }
}
