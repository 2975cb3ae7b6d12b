import { SubscriptionsState } from '@lanyard/contracts';
import type { Outbox } from '@lanyard/kafka';
import { type Clock, formatTimestamp } from '@lanyard/service';
import { type EntityManager, type FindOptionsWhere, In } from 'typeorm';
import { Subscription } from './subscription.entity.js';

export type Wanted = Pick<Subscription, 'deviceId' | 'path' | 'keyId' | 'accountId' | 'origin'>;

type Status = 'asked' | 'confirmed' | 'lost';

/** Subscriptions in PostgreSQL. Every change is announced in the same transaction; the caller holds the device's lock. */
export class SubscriptionStore {
  constructor(
    private readonly outbox: Outbox,
    private readonly clock: Clock,
  ) {}

  of(manager: EntityManager, deviceId: string): Promise<Subscription[]> {
    return manager.find(Subscription, { where: { deviceId }, order: { path: 'ASC', keyId: 'ASC' } });
  }

  ofAll(manager: EntityManager, deviceIds: readonly string[]): Promise<Subscription[]> {
    return manager.findBy(Subscription, { deviceId: In([...deviceIds]) });
  }

  /**
   * A call outranks a rule: it is lost at the next full registration even where a rule would have asked too. What the
   * device does not observe now (`observed` false) has to be asked for again, whatever it was before.
   */
  async ask(manager: EntityManager, wanted: readonly Wanted[], observed = false): Promise<void> {
    for (const one of wanted) {
      const { deviceId, path, keyId, origin } = one;
      const known = await manager.findOneBy(Subscription, { deviceId, path, keyId });
      if (known && origin === 'presubscription') continue;
      const status = known && observed ? known.status : 'asked';
      if (known?.origin === origin && known.status === status) continue;
      const row = { ...one, status, changedAt: new Date(this.clock.now()) };
      await manager.upsert(Subscription, row, ['deviceId', 'path', 'keyId']);
      await this.announce(manager, [row], row.status);
    }
    await this.markChanged(manager, wanted);
  }

  /** The device reports this path: everybody who waits for it has what they asked for. */
  async confirm(manager: EntityManager, deviceId: string, path: string): Promise<void> {
    const waiting = await manager.findBy(Subscription, { deviceId, path, status: 'asked' });
    if (waiting.length === 0) return;
    await manager.update(
      Subscription,
      { deviceId, path, status: 'asked' },
      { status: 'confirmed', changedAt: new Date(this.clock.now()) },
    );
    await this.announce(manager, waiting, 'confirmed');
  }

  /** Deletes and announces them as lost. Returns what there was. */
  async lose(
    manager: EntityManager,
    which: FindOptionsWhere<Subscription> & { deviceId: string },
  ): Promise<Subscription[]> {
    const rows = await manager.findBy(Subscription, which);
    if (rows.length === 0) return rows;
    await manager.remove(
      Subscription,
      rows.map((row) => ({ ...row })),
    );
    await this.announce(manager, rows, 'lost');
    await this.markChanged(manager, rows);
    return rows;
  }

  losePaths(manager: EntityManager, deviceId: string, paths: readonly string[]): Promise<Subscription[]> {
    return this.lose(manager, { deviceId, path: In([...paths]) });
  }

  /** Owners that missed the nudge find the change by its time. */
  private async markChanged(manager: EntityManager, rows: readonly { deviceId: string }[]): Promise<void> {
    for (const deviceId of new Set(rows.map((row) => row.deviceId)))
      await manager.query(
        `INSERT INTO interest_change (device_id) VALUES ($1) ON CONFLICT (device_id) DO UPDATE SET changed_at = now()`,
        [deviceId],
      );
  }

  private async announce(manager: EntityManager, rows: readonly Wanted[], status: Status): Promise<void> {
    const changedAt = formatTimestamp(this.clock.now());
    for (const { keyId, deviceId, accountId, path, origin } of rows)
      await this.outbox.append(manager, SubscriptionsState, {
        keyId,
        deviceId,
        accountId,
        path,
        status,
        origin,
        changedAt,
      });
  }
}
