import {
  type Clock,
  hashSecret,
  type Identity,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  newSecret,
} from '@lanyard/service';
import { type DataSource, type EntityManager, In } from 'typeorm';
import type { KnownKeys } from '../authentication/known-keys.js';
import {
  AccountLimitExceeded,
  ExpirationInThePast,
  OnlyAdministratorsChangeExpirations,
  OnlyAdministratorsChangeGroups,
} from '../errors.js';
import type { AccountChange, AccountChanges } from './account-changes.js';
import { ApiKey } from './api-key.entity.js';
import { newKey } from './new-account.js';
import { type ApiKeyChange, apiKeyRecord, type ApiKeyRecord, type NewApiKey, type Rotation } from './api-key-record.js';
import { KeyGroup } from './key-group.entity.js';
import { addToGroups, groupsOf, keyOf, removeFromGroups, storeKey } from './membership.js';
import { inOrder, pageOfIds } from './page-of-ids.js';
import { admin } from './permissions.js';

const columns = { key: `('ak_1' || t.account_id || t.id)`, name: 't.name', owner: 't.owner' };

const dateOf = (text: string | null | undefined): Date | null => (text == null ? null : new Date(text));

const sameGroups = (key: ApiKey, ids: readonly string[]): boolean => {
  const wanted = new Set(ids);
  return wanted.size === key.groups.length && key.groups.every((group) => wanted.has(group.id));
};

/** Keys of an account: make, show, change, reset, delete. Who may do what is the controller's business. */
export class ApiKeys {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    private readonly clock: Clock,
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

  /** The only answer but reset's with the full key. */
  async create(accountId: string, wanted: NewApiKey): Promise<ApiKeyRecord> {
    const id = newId(this.clock.now());
    const secret = newSecret(accountId, id);
    const key = await this.changes.run(accountId, async ({ manager, account, now, announce }) => {
      await this.refuseBeyond(manager, accountId, account.limits.api_keys);
      const made = newKey(manager, {
        id,
        accountId,
        name: wanted.name,
        owner: wanted.owner ?? null,
        hash: hashSecret(secret),
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        expiresAt: this.expirationOf(wanted.expiration),
        createdAt: now,
        groups: await this.groupsOfNew(manager, accountId, wanted.groups),
      });
      await manager.save(made);
      await announce(made);
      return made;
    });
    return this.record(key, secret);
  }

  async update(caller: Identity, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const key = await this.change(caller.accountId, id, async (change, found) => {
      await this.apply(change.manager, caller, found, wanted);
      await storeKey(change, found);
    });
    return this.record(key);
  }

  /** The id stays, so the channel and the subscriptions stay (spec §5 rule 8). */
  async resetSecret(caller: Identity, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const secret = newSecret(caller.accountId, id);
    const key = await this.change(caller.accountId, id, async (change, found) => {
      await this.apply(change.manager, caller, found, wanted);
      found.hash = hashSecret(secret);
      found.previousHash = null;
      found.previousUntil = null;
      await storeKey(change, found);
    });
    return this.record(key, secret);
  }

  /** A new secret beside the one until now; one before that, if any, ends at once: never more than two. */
  async rotate(accountId: string, id: string, { overlap_seconds }: Rotation): Promise<ApiKeyRecord> {
    const secret = newSecret(accountId, id);
    const key = await this.change(accountId, id, async (change, found) => {
      found.previousHash = found.hash;
      found.previousUntil = new Date(change.now.getTime() + overlap_seconds * 1_000);
      found.hash = hashSecret(secret);
      await storeKey(change, found);
    });
    return this.record(key, secret);
  }

  /** Ends the overlap of a rotation before its time. */
  async endOverlap(accountId: string, id: string): Promise<void> {
    await this.change(accountId, id, async (change, found) => {
      if (found.previousHash === null) return;
      found.previousHash = null;
      found.previousUntil = null;
      await storeKey(change, found);
    });
  }

  async remove(accountId: string, id: string): Promise<void> {
    await this.change(accountId, id, async ({ manager, now, announce }, key) => {
      key.revision += 1;
      key.updatedAt = now;
      await announce(key, 'deleted');
      await manager.delete(ApiKey, { id });
    });
  }

  async addGroups(accountId: string, id: string, groupIds: readonly string[]): Promise<ApiKeyRecord> {
    const key = await this.change(accountId, id, async (change, found) =>
      addToGroups(change, [found], await groupsOf(change.manager, accountId, groupIds)),
    );
    return this.record(key);
  }

  async removeGroups(accountId: string, id: string, groupIds: readonly string[]): Promise<ApiKeyRecord> {
    const key = await this.change(accountId, id, async (change, found) => {
      await groupsOf(change.manager, accountId, groupIds);
      await removeFromGroups(change, [found], groupIds);
    });
    return this.record(key);
  }

  private record(key: ApiKey, secret?: string): ApiKeyRecord {
    return apiKeyRecord(key, this.clock.now(), secret);
  }

  private expirationOf(text: string | null | undefined): Date | null {
    const at = dateOf(text);
    if (at !== null && at.getTime() <= this.clock.now()) throw new ExpirationInThePast();
    return at;
  }

  private async refuseBeyond(manager: EntityManager, accountId: string, max: number | undefined): Promise<void> {
    if (max === undefined) return;
    if ((await manager.countBy(ApiKey, { accountId })) >= max) throw new AccountLimitExceeded('API keys', max);
  }

  private async change(
    accountId: string,
    id: string,
    work: (change: AccountChange, key: ApiKey) => Promise<void>,
  ): Promise<ApiKey> {
    const changed = await this.changes.run(accountId, async (change) => {
      const key = await keyOf(change.manager, accountId, id);
      await work(change, key);
      return key;
    });
    this.known.forget(id);
    return changed;
  }

  private async apply(manager: EntityManager, caller: Identity, key: ApiKey, wanted: ApiKeyChange): Promise<void> {
    if (wanted.name !== undefined) key.name = wanted.name;
    if (wanted.owner !== undefined) key.owner = wanted.owner;
    if (wanted.status !== undefined) key.status = wanted.status === 'ACTIVE' ? 'active' : 'inactive';
    const expiresAt = dateOf(wanted.expiration);
    if (wanted.expiration !== undefined && expiresAt?.getTime() !== key.expiresAt?.getTime()) {
      // A key that could put off its own end would have none.
      if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeExpirations();
      key.expiresAt = this.expirationOf(wanted.expiration);
      key.expiryAnnounced = false;
    }
    if (wanted.groups === undefined || sameGroups(key, wanted.groups)) return;
    if (!caller.permissions.includes(admin)) throw new OnlyAdministratorsChangeGroups();
    key.groups = await groupsOf(manager, caller.accountId, wanted.groups);
  }

  /** Without groups a new key is a developer's. */
  private async groupsOfNew(
    manager: EntityManager,
    accountId: string,
    ids: readonly string[] = [],
  ): Promise<KeyGroup[]> {
    if (ids.length > 0) return groupsOf(manager, accountId, ids);
    return manager.find(KeyGroup, { where: { accountId, kind: 'developers' } });
  }
}
