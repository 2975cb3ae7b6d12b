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
import { OnlyAdministratorsChangeGroups } from '../errors.js';
import type { AccountChange, AccountChanges } from './account-changes.js';
import { ApiKey } from './api-key.entity.js';
import { type ApiKeyChange, apiKeyRecord, type ApiKeyRecord, type NewApiKey } from './api-key-record.js';
import { KeyGroup } from './key-group.entity.js';
import { addToGroups, groupsOf, keyOf, removeFromGroups, storeKey } from './membership.js';
import { inOrder, pageOfIds } from './page-of-ids.js';
import { admin } from './permissions.js';

const columns = { key: `('ak_1' || t.account_id || t.id)`, owner: 't.owner' };

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
      inOrder(ids, keys).map((key) => apiKeyRecord(key)),
      query,
      total,
    );
  }

  async get(accountId: string, id: string): Promise<ApiKeyRecord> {
    return apiKeyRecord(await keyOf(this.database.manager, accountId, id));
  }

  /** The only answer but reset's with the full key. */
  async create(accountId: string, wanted: NewApiKey): Promise<ApiKeyRecord> {
    const id = newId(this.clock.now());
    const secret = newSecret(accountId, id);
    const key = await this.changes.run(accountId, async ({ manager, now, announce }) => {
      const made = manager.create(ApiKey, {
        id,
        accountId,
        name: wanted.name,
        owner: wanted.owner ?? null,
        hash: hashSecret(secret),
        status: wanted.status === 'INACTIVE' ? 'inactive' : 'active',
        revision: 1,
        createdAt: now,
        updatedAt: now,
        lastLoginAt: null,
        groups: await this.groupsOfNew(manager, accountId, wanted.groups),
      });
      await manager.save(made);
      await announce(made);
      return made;
    });
    return apiKeyRecord(key, secret);
  }

  async update(caller: Identity, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const key = await this.change(caller.accountId, id, async (change, found) => {
      await this.apply(change.manager, caller, found, wanted);
      await storeKey(change, found);
    });
    return apiKeyRecord(key);
  }

  /** The id stays, so the channel and the subscriptions stay (spec §5 rule 8). */
  async resetSecret(caller: Identity, id: string, wanted: ApiKeyChange): Promise<ApiKeyRecord> {
    const secret = newSecret(caller.accountId, id);
    const key = await this.change(caller.accountId, id, async (change, found) => {
      await this.apply(change.manager, caller, found, wanted);
      found.hash = hashSecret(secret);
      await storeKey(change, found);
    });
    return apiKeyRecord(key, secret);
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
    return apiKeyRecord(key);
  }

  async removeGroups(accountId: string, id: string, groupIds: readonly string[]): Promise<ApiKeyRecord> {
    const key = await this.change(accountId, id, async (change, found) => {
      await groupsOf(change.manager, accountId, groupIds);
      await removeFromGroups(change, [found], groupIds);
    });
    return apiKeyRecord(key);
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
