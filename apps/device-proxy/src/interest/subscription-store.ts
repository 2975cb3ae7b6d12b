import { SubscriptionsState } from '@lanyard/contracts';
import { Outbox } from '@lanyard/kafka';
import { type Clock, CLOCK, isoTime, PreparedStatement } from '@lanyard/service';
import { type EntityManager, type FindOperator, type FindOptionsWhere, IsNull } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { TooManySubscriptions } from '../errors.js';
import { subscribedPathsMax } from './limits.js';
import { Subscription } from './subscription.entity.js';

export type NewSubscription = Pick<Subscription, 'deviceId' | 'path' | 'keyId' | 'accountId' | 'origin'> &
  Partial<Pick<Subscription, 'together' | 'attributes'>>;

export type SubscriptionKey = Pick<Subscription, 'deviceId' | 'path' | 'keyId'>;

/** Selects subscriptions of one device, or of several. */
type Which = FindOptionsWhere<Subscription> & { deviceId: string | FindOperator<string> };

type Row = Subscription;

/** Columns of the table `s`, named as in the entity. */
const columns = `s.device_id AS "deviceId", s.path, s.key_id AS "keyId", s.account_id AS "accountId", s.origin, s.status,
       s.together, s.attributes, s.changed_at AS "changedAt"`;

type Status = 'asked' | 'confirmed' | 'lost';

/** Not `now()`: that is when the transaction began, which may be before it had the lock of the device. */
const databaseTime = new PreparedStatement<{ at: string }>(`SELECT ${isoTime('clock_timestamp()')} AS at`);

/** Selects subscriptions whose path is observed by itself, with these attributes. */
export const singleObservation = (attributes: string | undefined) => ({
  together: IsNull(),
  attributes: attributes ?? IsNull(),
});

/** An observation that applications asked for. `replaced`: only the calling key has it, and is about to replace it. */
interface Observed extends Pick<Subscription, 'path' | 'attributes' | 'together'> {
  replaced: boolean;
}

const observedKey = ({ path, attributes, together }: Partial<Observed>): string =>
  JSON.stringify([path, attributes ?? null, together ?? null]);

/**
 * Subscriptions in PostgreSQL. Every change is announced in the same transaction; the caller holds the device's lock. Changes of
 * rules use SQL, because they affect many subscriptions at once.
 */
@Injectable()
export class SubscriptionStore {
  constructor(
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async listOfDevices(manager: EntityManager, deviceIds: readonly string[]): Promise<Map<string, Subscription[]>> {
    const rows: Row[] = await manager.query(
      `SELECT ${columns} FROM subscriptions s WHERE s.device_id = ANY($1) ORDER BY s.path, s.key_id`,
      [deviceIds],
    );
    const byDevice = new Map<string, Subscription[]>();
    for (const row of rows) {
      const known = byDevice.get(row.deviceId);
      if (known) known.push(row);
      else byDevice.set(row.deviceId, [row]);
    }
    return byDevice;
  }

  /**
   * Adds subscriptions of rules for many devices; existing ones stay as they are. The owner of the sessions writes them itself, so
   * the change need not be marked for other replicas to find by its time.
   */
  async askByRules(manager: EntityManager, wanted: readonly NewSubscription[]): Promise<void> {
    if (wanted.length === 0) return;
    const rows: Row[] = await manager.query(
      `INSERT INTO subscriptions AS s (device_id, path, key_id, account_id, origin, status, changed_at)
       SELECT d, p, k, a, 'presubscription', 'asked', $5
       FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) AS w (d, p, k, a)
       ON CONFLICT (device_id, path, key_id) DO NOTHING RETURNING ${columns}`,
      [
        wanted.map((one) => one.deviceId),
        wanted.map((one) => one.path),
        wanted.map((one) => one.keyId),
        wanted.map((one) => one.accountId),
        new Date(this.clock.now()),
      ],
    );
    await this.announce(manager, rows, 'asked');
  }

  /** Removes subscriptions that rules no longer require, for many devices. */
  async loseByRules(manager: EntityManager, which: readonly SubscriptionKey[]): Promise<void> {
    if (which.length === 0) return;
    const [rows]: [Row[], number] = await manager.query(
      `DELETE FROM subscriptions s USING unnest($1::text[], $2::text[], $3::text[]) AS w (d, p, k)
       WHERE s.device_id = d AND s.path = p AND s.key_id = k AND s.origin = 'presubscription' RETURNING ${columns}`,
      [which.map((one) => one.deviceId), which.map((one) => one.path), which.map((one) => one.keyId)],
    );
    await this.announce(manager, rows, 'lost');
  }

  /** The devices report these paths: the subscriptions of rules are confirmed. Those of calls are confirmed by their commands. */
  async confirmAll(
    manager: EntityManager,
    which: readonly Pick<NewSubscription, 'deviceId' | 'path'>[],
  ): Promise<void> {
    if (which.length === 0) return;
    const [rows]: [Row[], number] = await manager.query(
      `UPDATE subscriptions s SET status = 'confirmed', changed_at = $3
       FROM (SELECT DISTINCT d, p FROM unnest($1::text[], $2::text[]) AS w (d, p)) AS w
       WHERE s.device_id = d AND s.path = p AND s.status = 'asked' AND s.origin = 'presubscription' RETURNING ${columns}`,
      [which.map((one) => one.deviceId), which.map((one) => one.path), new Date(this.clock.now())],
    );
    await this.announce(manager, rows, 'confirmed');
  }

  /**
   * Adds subscriptions of one key to one device, or replaces those that the key has to the same paths. A call outranks
   * a rule: its subscription is lost at the next full registration, even if a rule would have asked for it too. When
   * the device does not observe the paths now (`observed` false), they are asked for again, whatever their status was.
   * Throws TooManySubscriptions.
   */
  async addRequested(manager: EntityManager, wanted: readonly NewSubscription[], observed = false): Promise<void> {
    await this.refuseTooMany(manager, wanted);
    for (const one of wanted) {
      const { deviceId, path, keyId, origin, together = null, attributes = null } = one;
      const known = await manager.findOneBy(Subscription, { deviceId, path, keyId });
      const isAlike = known?.together === together && known.attributes === attributes;
      const status = known && observed && isAlike ? known.status : 'asked';
      if (known?.origin === origin && known.status === status && isAlike) continue;
      const row = { ...one, together, attributes, status, changedAt: new Date(this.clock.now()) };
      await manager.upsert(Subscription, row, ['deviceId', 'path', 'keyId']);
      await this.announce(manager, [row], row.status);
    }
    await this.markChanged(manager, wanted);
  }

  private async refuseTooMany(manager: EntityManager, wanted: readonly NewSubscription[]): Promise<void> {
    const [first] = wanted;
    const rows: Observed[] = await manager.query(
      `SELECT s.path, s.attributes, s.together, bool_and(s.key_id = $2 AND s.path = ANY($3)) AS replaced
       FROM subscriptions s WHERE s.device_id = $1 AND s.origin = 'resource'
       GROUP BY s.path, s.attributes, s.together`,
      [first?.deviceId, first?.keyId, wanted.map(({ path }) => path)],
    );
    const before = new Set(rows.map(observedKey));
    const added = new Set(wanted.map(observedKey).filter((key) => !before.has(key)));
    const kept = rows.filter(({ replaced }) => !replaced).length;
    if (added.size > 0 && kept + added.size > subscribedPathsMax)
      throw new TooManySubscriptions(subscribedPathsMax, first?.together ? 400 : 429);
  }

  /** The device reports this path: confirms the subscriptions of rules and of the key. Other keys still await their answers. */
  async confirm(
    manager: EntityManager,
    { deviceId, path, keyId }: SubscriptionKey,
    attributes: string | undefined,
  ): Promise<void> {
    const which = { deviceId, path, ...singleObservation(attributes) };
    await this.confirmThose(manager, [
      { ...which, keyId },
      { ...which, origin: 'presubscription' },
    ]);
  }

  /** The device reports all paths of a composite observation. */
  confirmComposite(manager: EntityManager, deviceId: string, together: string): Promise<void> {
    return this.confirmThose(manager, [{ deviceId, together }]);
  }

  private async confirmThose(manager: EntityManager, which: FindOptionsWhere<Subscription>[]): Promise<void> {
    const waiting = await manager.findBy(
      Subscription,
      which.map((one) => ({ ...one, status: 'asked' as const })),
    );
    if (waiting.length === 0) return;
    const changedAt = new Date(this.clock.now());
    await manager.save(
      Subscription,
      waiting.map((row) => ({ ...row, status: 'confirmed' as const, changedAt })),
    );
    await this.announce(manager, waiting, 'confirmed');
  }

  /** Deletes the subscriptions and announces them as lost. `byDevice`: no application asked for it. Returns what was deleted. */
  async lose(manager: EntityManager, which: Which | Which[], byDevice = false): Promise<Subscription[]> {
    const rows = await manager.findBy(Subscription, which);
    if (rows.length === 0) return rows;
    await manager.remove(
      Subscription,
      rows.map((row) => ({ ...row })),
    );
    await this.announce(manager, rows, 'lost', byDevice);
    await this.markChanged(manager, rows);
    return rows;
  }

  /**
   * The device does not (or no longer) report the path with these attributes. Subscriptions that calls still wait for are left
   * to their commands, which ask the device.
   */
  losePath(
    manager: EntityManager,
    { deviceId, path }: Pick<Subscription, 'deviceId' | 'path'>,
    attributes: string | undefined,
  ): Promise<Subscription[]> {
    const which = { deviceId, path, ...singleObservation(attributes) };
    return this.lose(
      manager,
      [
        { ...which, status: 'confirmed' },
        { ...which, origin: 'presubscription' },
      ],
      true,
    );
  }

  /** Owners that missed the wake-up find the change by its time. */
  private async markChanged(manager: EntityManager, rows: readonly { deviceId: string }[]): Promise<void> {
    await manager.query(
      `INSERT INTO interest_changes (device_id) SELECT DISTINCT unnest($1::text[])
       ON CONFLICT (device_id) DO UPDATE SET changed_at = now()`,
      [rows.map((row) => row.deviceId)],
    );
  }

  /** The changes of a subscription are ordered by their times, and the clocks of replicas may differ: PostgreSQL dates them. */
  private async announce(
    manager: EntityManager,
    rows: readonly NewSubscription[],
    status: Status,
    byDevice = false,
  ): Promise<void> {
    if (rows.length === 0) return;
    const [{ at: changedAt }] = (await databaseTime.run(manager, [])) as [{ at: string }];
    const facts = rows.map(({ keyId, deviceId, accountId, path, origin }) => ({
      keyId,
      deviceId,
      accountId,
      path,
      status,
      origin,
      ...(byDevice && { byDevice }),
      changedAt,
    }));
    await this.outbox.appendAll(manager, SubscriptionsState, facts);
  }
}
