import {
  CLOCK,
  type Clock,
  dividedChange,
  hashSecret,
  inOrder,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  newSecret,
  refuseOtherValues,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import {
  AccountLimitExceeded,
  ExpirationInThePast,
  OnlyAdministratorsChangeExpirations,
  OnlyAdministratorsChangeGroups,
} from '../errors.js';
import { type AccountChange, AccountChanges } from './account-changes.js';
import { ApiKey } from '../db/api-key.entity.js';
import {
  type ApiKeyChange,
  apiKeyChanges,
  apiKeyRecord,
  type ApiKeyRecord,
  type NewApiKey,
  type Rotation,
} from './api-key-record.js';
import { type By, type AuditAction, differences, mustBeMeant } from './by.js';
import { changedStatus } from './expiration.js';
import { addToGroups, groupsOf, groupsOfNew, isInExactly, keyOf, removeFromGroups, storeHolder } from './membership.js';
import { newKey } from './new-account.js';
import { pageOfIds } from './page-of-ids.js';
import { admin } from '../permissions.js';
import { timesOfUse, withoutSecret } from './sent-back.js';

const columns = { key: `('ak_1' || t.account_id || t.id)`, name: 't.name', owner: 't.owner' };

const dateOf = (text: string | null | undefined): Date | null => (text == null ? null : new Date(text));

const targetOf = ({ id, name }: ApiKey): AuditAction['target'] => ({ kind: 'api-key', id, name });

/** Disabling a key has its own code, because operators look for it after an incident. */
const actionOf = (changes: Record<string, string>): AuditAction['action'] => {
  if (changes['status'] === undefined) return 'SYS_511';
  return changes['status'] === 'INACTIVE' ? 'SYS_512' : 'SYS_513';
};

/** Also for access keys. Throws ExpirationInThePast. */
export const futureDate = (text: string | null | undefined, nowMs: number): Date | null => {
  const at = dateOf(text);
  if (at !== null && at.getTime() <= nowMs) throw new ExpirationInThePast();
  return at;
};

/** Creates, shows, changes, resets and deletes the keys of an account. The controller checks permissions. */
@Injectable()
export class ApiKeys {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(accountId: string, query: ListQuery): Promise<ListEnvelope<ApiKeyRecord>> {
    const source = { from: 'api_keys t', columns, where: 't.account_id = $1', parameters: [accountId] };
    const { manager } = this.database;
    const { ids, total } = await pageOfIds(manager, source, query);
    const keys = await manager.find(ApiKey, { where: { id: In(ids) }, relations: { groups: true } });
    return listEnvelope(
      inOrder(ids, keys).map((key) => this.record(key)),
      query,
      total,
    );
  }

  async get(accountId: string, id: string): Promise<ApiKeyRecord> {
    return this.record(await keyOf(this.database.manager, accountId, id));
  }

  /** Only this response and that of reset contain the full key. */
  async create(by: By, wanted: NewApiKey): Promise<ApiKeyRecord> {
    const { accountId, caller } = by;
    const id = newId(this.clock.now());
    const secret = newSecret(accountId, id);
    const key = await this.changes.run(by, async ({ manager, account, now, announce, record }) => {
      await this.refuseBeyond(manager, accountId, account.limits.api_keys);
      const made = newKey(manager, {
        id,
        accountId,
        name: wanted.name,
        owner: wanted.owner ?? null,
        hash: hashSecret(secret),
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        expiresAt: futureDate(wanted.expiration, this.clock.now()),
        createdAt: now,
        groups: await groupsOfNew(manager, accountId, wanted.groups),
      });
      await manager.save(made);
      await announce(made);
      await record(caller, {
        action: 'SYS_510',
        target: targetOf(made),
        changes: { groups: made.groups.map((group) => group.id).join(',') },
      });
      return made;
    });
    return this.record(key, secret);
  }

  async update(by: By, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const key = await this.change(by, id, async (change, found) => {
      const changes = await this.apply(change.manager, by, found, wanted);
      await storeHolder(change, found);
      return { action: actionOf(changes), changes };
    });
    return this.record(key);
  }

  /** The id stays, so the channel and the subscriptions stay (spec §5 rule 8). */
  async resetSecret(by: By, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const secret = newSecret(by.accountId, id);
    const key = await this.change(by, id, async (change, found) => {
      const changes = await this.apply(change.manager, by, found, wanted);
      found.hash = hashSecret(secret);
      found.previousHash = null;
      found.previousUntil = null;
      await storeHolder(change, found);
      return { action: 'SYS_514', changes };
    });
    return this.record(key, secret);
  }

  /** Adds a secret beside the current one; an older one becomes invalid at once, so there are never more than two. */
  async rotate(by: By, id: string, { overlap_seconds }: Rotation): Promise<ApiKeyRecord> {
    const secret = newSecret(by.accountId, id);
    const key = await this.change(by, id, async (change, found) => {
      found.previousHash = found.hash;
      found.previousUntil = new Date(change.now.getTime() + overlap_seconds * 1_000);
      found.hash = hashSecret(secret);
      await storeHolder(change, found);
      return { action: 'SYS_515', data: { overlap_seconds: String(overlap_seconds) } };
    });
    return this.record(key, secret);
  }

  /** Ends the overlap of a rotation early. */
  async endOverlap(by: By, id: string): Promise<void> {
    await this.change(by, id, async (change, found) => {
      if (found.previousHash === null) return undefined;
      found.previousHash = null;
      found.previousUntil = null;
      await storeHolder(change, found);
      return { action: 'SYS_516' };
    });
  }

  async remove(by: By, id: string): Promise<void> {
    await this.change(by, id, async ({ manager, now, announce }, key) => {
      key.revision += 1;
      key.updatedAt = now;
      await announce(key, 'deleted');
      await manager.delete(ApiKey, { id });
      return { action: 'SYS_517' };
    });
  }

  async addGroups(by: By, id: string, groupIds: readonly string[]): Promise<ApiKeyRecord> {
    const key = await this.change(by, id, async (change, found) => {
      await addToGroups(change, [found], await groupsOf(change.manager, by.accountId, groupIds));
      return { action: 'SYS_523', data: { groups: groupIds.join(',') } };
    });
    return this.record(key);
  }

  async removeGroups(by: By, id: string, groupIds: readonly string[]): Promise<ApiKeyRecord> {
    const key = await this.change(by, id, async (change, found) => {
      await groupsOf(change.manager, by.accountId, groupIds);
      await removeFromGroups(change, [found], groupIds);
      return { action: 'SYS_524', data: { groups: groupIds.join(',') } };
    });
    return this.record(key);
  }

  private record(key: ApiKey, secret?: string): ApiKeyRecord {
    return apiKeyRecord(key, this.clock.now(), secret);
  }

  private async refuseBeyond(manager: EntityManager, accountId: string, max: number | undefined): Promise<void> {
    if (max === undefined) return;
    if ((await manager.countBy(ApiKey, { accountId })) >= max) throw new AccountLimitExceeded('API keys', max);
  }

  /** `work` returns what it did; undefined: nothing. */
  private async change(
    by: By,
    id: string,
    work: (change: AccountChange, key: ApiKey) => Promise<Omit<AuditAction, 'target'> | undefined>,
  ): Promise<ApiKey> {
    const changed = await this.changes.run(by, async (change) => {
      const key = await keyOf(change.manager, by.accountId, id);
      mustBeMeant(by, key);
      const audited = await work(change, key);
      if (audited) await change.record(by.caller, { ...audited, target: targetOf(key) });
      return key;
    });
    this.known.outdate(id);
    return changed;
  }

  /** Returns what has changed. */
  private async apply(
    manager: EntityManager,
    { caller, accountId }: By,
    key: ApiKey,
    body: ApiKeyChange,
  ): Promise<Record<string, string>> {
    const before = this.record(key);
    const { changes: wanted, unchanged } = dividedChange(body, apiKeyChanges);
    refuseOtherValues(withoutSecret(unchanged, before), before, timesOfUse);
    if (wanted.name !== undefined) key.name = wanted.name;
    if (wanted.owner !== undefined) key.owner = wanted.owner;
    key.status = changedStatus(key.status, wanted.status);
    const expiresAt = dateOf(wanted.expiration);
    if (wanted.expiration !== undefined && expiresAt?.getTime() !== key.expiresAt?.getTime()) {
      // A key that could postpone its own expiration would never expire.
      if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeExpirations();
      key.expiresAt = futureDate(wanted.expiration, this.clock.now());
      key.expiryAnnounced = false;
    }
    if (wanted.groups !== undefined && !isInExactly(key, wanted.groups)) {
      if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeGroups();
      key.groups = await groupsOf(manager, accountId, wanted.groups);
    }
    return differences(before, this.record(key));
  }
}
