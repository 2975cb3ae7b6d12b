import { type Clock, CLOCK, newId, setBounded } from '@lanyard/service';
import { DataSource, type EntityManager, In } from 'typeorm';
import { Inject, Injectable } from '@nestjs/common';
import { RequestBatcher } from '../db/request-batcher.js';
import { paceMs } from '../db/pace.js';
import { FirstContact } from './first-contact.entity.js';

/** An endpoint that the directory does not know. */
export interface UnknownEndpoint {
  accountId: string;
  endpointName: string;
  devicesMax?: number;
  /** The devices of an account in the directory: how many, and whether it has a given one. */
  known: { count: number; has: (deviceId: string) => boolean };
}

/** First half of an advisory lock's key. The lock makes first contacts of an account with a quota count one after the other. */
const lockSpace = 0x0b0e;

/** How far the clocks of replicas may differ. */
const overlapMs = 60_000;

/** Limits the accounts in `decidedUntilMs`. */
const accountsMax = 10_000;

const keyOf = ({ accountId, endpointName }: { accountId: string; endpointName: string }): string =>
  `${accountId}|${endpointName}`;

interface AssignedId {
  accountId: string;
  endpointName: string;
  deviceId: string;
}

/** Columns of `first_contacts f`. */
const columns = 'f.account_id AS "accountId", f.endpoint_name AS "endpointName", f.device_id AS "deviceId"';

const idsOf = (rows: readonly AssignedId[]): Map<string, string> =>
  new Map(rows.map((row) => [keyOf(row), row.deviceId]));

const namesOf = (endpoints: readonly UnknownEndpoint[]): [string[], string[]] => [
  endpoints.map((one) => one.accountId),
  endpoints.map((one) => one.endpointName),
];

const onlyOnce = (endpoints: readonly UnknownEndpoint[]): UnknownEndpoint[] => [
  ...new Map(endpoints.map((one) => [keyOf(one), one])).values(),
];

/** Every transaction stores rows in this order, so that two never deadlock. */
const inOrder = (endpoints: readonly UnknownEndpoint[]): UnknownEndpoint[] =>
  onlyOnce(endpoints).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));

/**
 * The id given to an endpoint that is not in the directory yet: it stays the same on every replica until the directory
 * decides. A new fleet connects all at once, so many ids are stored in one batch, by one statement.
 */
@Injectable()
export class FirstContacts {
  private readonly storing = new RequestBatcher((endpoints: readonly UnknownEndpoint[]) => this.assignAll(endpoints), {
    paceMs,
  });

  /** By account: all contacts from before this time are in the directory. */
  private readonly decidedUntilMs = new Map<string, number>();

  private readonly forgetting = new RequestBatcher((deviceIds: readonly string[]) => this.forgetAll(deviceIds));

  constructor(
    private readonly dataSource: DataSource,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The id; undefined if the account has reached its quota. */
  assignId(endpoint: UnknownEndpoint): Promise<string | undefined> {
    return this.storing.submit(endpoint);
  }

  /** The directory has decided on an id: it deleted the device, or assigned the name to another id. */
  forget(deviceId: string): Promise<void> {
    return this.forgetting.submit(deviceId);
  }

  private async forgetAll(deviceIds: readonly string[]): Promise<void[]> {
    await this.dataSource.manager.delete(FirstContact, { deviceId: In([...deviceIds]) });
    return deviceIds.map(() => undefined);
  }

  private assignAll(endpoints: readonly UnknownEndpoint[]): Promise<(string | undefined)[]> {
    return endpoints.every((one) => one.devicesMax === undefined)
      ? this.assignFreely(endpoints)
      : this.assignWithinQuota(endpoints);
  }

  /** Without a quota nothing has to be counted: one statement is enough. */
  private async assignFreely(endpoints: readonly UnknownEndpoint[]): Promise<(string | undefined)[]> {
    const { manager } = this.dataSource;
    const wanted = inOrder(endpoints);
    const now = this.clock.now();
    const rows: AssignedId[] = await manager.query(
      `WITH w AS (SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS w (a, n, d, place)),
         fresh AS (
           INSERT INTO first_contacts AS f (account_id, endpoint_name, device_id, created_at)
           SELECT a, n, d, $4 FROM w
           WHERE NOT EXISTS (SELECT FROM first_contacts k WHERE k.account_id = a AND k.endpoint_name = n) ORDER BY place
           ON CONFLICT DO NOTHING RETURNING ${columns})
       SELECT ${columns} FROM first_contacts f JOIN w ON f.account_id = a AND f.endpoint_name = n
       UNION ALL SELECT * FROM fresh`,
      [...namesOf(wanted), wanted.map(() => newId(now)), new Date(now)],
    );
    const ids = idsOf(rows);
    // If another replica stored a row concurrently, this statement's snapshot did not see it; the next statement does.
    const all = ids.size === wanted.length ? ids : await this.idsAssigned(manager, endpoints);
    return endpoints.map((one) => all.get(keyOf(one)));
  }

  private assignWithinQuota(endpoints: readonly UnknownEndpoint[]): Promise<(string | undefined)[]> {
    return this.dataSource.transaction(async (manager) => {
      const ids = await this.idsAssigned(manager, endpoints);
      const fresh = endpoints.filter((one) => !ids.has(keyOf(one)));
      await this.insert(manager, await this.withinQuota(manager, onlyOnce(fresh)));
      const all = fresh.length === 0 ? ids : await this.idsAssigned(manager, endpoints);
      return endpoints.map((one) => all.get(keyOf(one)));
    });
  }

  private async idsAssigned(
    manager: EntityManager,
    endpoints: readonly UnknownEndpoint[],
  ): Promise<Map<string, string>> {
    const rows: AssignedId[] = await manager.query(
      `SELECT ${columns} FROM first_contacts f JOIN unnest($1::text[], $2::text[]) AS w (a, n)
         ON f.account_id = a AND f.endpoint_name = n`,
      namesOf(endpoints),
    );
    return idsOf(rows);
  }

  /** Keeps an id that another replica has stored in the meantime. */
  private async insert(manager: EntityManager, fresh: readonly UnknownEndpoint[]): Promise<void> {
    if (fresh.length === 0) return;
    const now = this.clock.now();
    const sorted = inOrder(fresh);
    await manager.query(
      `INSERT INTO first_contacts (account_id, endpoint_name, device_id, created_at)
       SELECT a, n, d, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS w (a, n, d) ON CONFLICT DO NOTHING`,
      [...namesOf(sorted), sorted.map(() => newId(now)), new Date(now)],
    );
  }

  /** The endpoints within the quota of their account, in order of arrival. */
  private async withinQuota(manager: EntityManager, fresh: readonly UnknownEndpoint[]): Promise<UnknownEndpoint[]> {
    const room = new Map<string, number>();
    const limited = fresh.filter((one) => one.devicesMax !== undefined);
    // Locked in the same order as in every transaction that takes several of these locks.
    for (const one of limited.toSorted((a, b) => (a.accountId < b.accountId ? -1 : 1)))
      if (!room.has(one.accountId)) room.set(one.accountId, await this.roomOf(manager, one));
    return fresh.filter(({ accountId, devicesMax }) => {
      if (devicesMax === undefined) return true;
      const left = room.get(accountId) ?? 0;
      room.set(accountId, left - 1);
      return left > 0;
    });
  }

  /** Counts the devices in the directory, and first contacts that are not in it yet. */
  private async roomOf(manager: EntityManager, { accountId, devicesMax = 0, known }: UnknownEndpoint): Promise<number> {
    await manager.query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [lockSpace, accountId]);
    if (known.count >= devicesMax) return 0;
    return devicesMax - known.count - (await this.countUndecided(manager, accountId, known));
  }

  /**
   * A contact stays as long as its device, and an account may have a hundred thousand of them: those from before the
   * oldest one that is not in the directory are not read again.
   */
  private async countUndecided(
    manager: EntityManager,
    accountId: string,
    known: UnknownEndpoint['known'],
  ): Promise<number> {
    const nowMs = this.clock.now();
    const rows: { device_id: string; created_at: Date }[] = await manager.query(
      'SELECT device_id, created_at FROM first_contacts WHERE account_id = $1 AND created_at >= $2',
      [accountId, new Date(this.decidedUntilMs.get(accountId) ?? 0)],
    );
    const undecided = rows.filter((row) => !known.has(row.device_id));
    const oldestMs = undecided.reduce((oldest, { created_at: at }) => Math.min(oldest, at.getTime()), nowMs);
    setBounded(this.decidedUntilMs, accountId, oldestMs - overlapMs, accountsMax);
    return undecided.length;
  }
}
