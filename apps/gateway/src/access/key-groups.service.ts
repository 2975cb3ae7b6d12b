import { type Clock, type ListEnvelope, listEnvelope, type ListQuery, newId } from '@lanyard/service';
import { type DataSource, type EntityManager, In } from 'typeorm';
import type { KnownKeys } from '../authentication/known-keys.js';
import { GroupNameTaken, GroupNotFound, GroupPermissionsFixed, GroupProtected, UnknownMembers } from '../errors.js';
import type { AccountChange, AccountChanges } from './account-changes.js';
import { ApiKey } from './api-key.entity.js';
import { apiKeyRecord, type ApiKeyRecord } from './api-key-record.js';
import { KeyGroup } from './key-group.entity.js';
import {
  type KeyGroupChange,
  keyGroupRecord,
  type KeyGroupRecord,
  type Members,
  type NewKeyGroup,
} from './key-group-record.js';
import { addToGroups, keysIn, keysOf, removeFromGroups, storeKey } from './membership.js';
import { inOrder, pageOfIds, type PageSource } from './page-of-ids.js';

const columns = { id: 't.id', name: 't.name' };

const groupOf = async (manager: EntityManager, accountId: string, id: string): Promise<KeyGroup> => {
  const group = await manager.findOne(KeyGroup, { where: { accountId, id } });
  if (!group) throw new GroupNotFound();
  return group;
};

const keyCounts = async (manager: EntityManager, ids: readonly string[]): Promise<Map<string, number>> => {
  const rows = await manager.query<{ group_id: string; count: number }[]>(
    'SELECT group_id, count(*)::int AS count FROM api_key_groups WHERE group_id = ANY($1) GROUP BY group_id',
    [ids],
  );
  return new Map(rows.map((row) => [row.group_id, row.count]));
};

const recordOf = async (manager: EntityManager, group: KeyGroup): Promise<KeyGroupRecord> =>
  keyGroupRecord(group, (await keyCounts(manager, [group.id])).get(group.id) ?? 0);

/** There are no users and no applications: naming one is a mistake. */
const keyIdsOf = ({ apikeys = [], users = [], applications = [] }: Members): string[] => {
  if (users.length > 0) throw new UnknownMembers('users', users);
  if (applications.length > 0) throw new UnknownMembers('applications', applications);
  return apikeys;
};

/** Key groups of an account (the interface calls them policy groups). */
export class KeyGroups {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    private readonly clock: Clock,
  ) {}

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<KeyGroupRecord>> {
    return this.page({ from: 'key_groups t', columns, where: 't.account_id = $1', parameters: [accountId] }, query);
  }

  listOfKey(accountId: string, keyId: string, query: ListQuery): Promise<ListEnvelope<KeyGroupRecord>> {
    const from = 'key_groups t JOIN api_key_groups m ON m.group_id = t.id';
    return this.page(
      { from, columns, where: 't.account_id = $1 AND m.key_id = $2', parameters: [accountId, keyId] },
      query,
    );
  }

  async get(accountId: string, id: string): Promise<KeyGroupRecord> {
    const { manager } = this.database;
    return recordOf(manager, await groupOf(manager, accountId, id));
  }

  async keys(accountId: string, id: string, query: ListQuery): Promise<ListEnvelope<ApiKeyRecord>> {
    const { manager } = this.database;
    await groupOf(manager, accountId, id);
    const from = 'api_keys t JOIN api_key_groups m ON m.key_id = t.id';
    const source = { from, columns: {}, where: 't.account_id = $1 AND m.group_id = $2', parameters: [accountId, id] };
    const { ids, total } = await pageOfIds(manager, source, query);
    const keys = await manager.find(ApiKey, { where: { id: In(ids) }, relations: { groups: true } });
    return listEnvelope(
      inOrder(ids, keys).map((key) => apiKeyRecord(key, this.clock.now())),
      query,
      total,
    );
  }

  async create(accountId: string, wanted: NewKeyGroup): Promise<KeyGroupRecord> {
    return this.change(accountId, async (change) => {
      const { manager, now } = change;
      await this.refuseTaken(manager, accountId, wanted.name);
      const group = manager.create(KeyGroup, {
        id: newId(this.clock.now()),
        accountId,
        name: wanted.name,
        kind: 'custom',
        permissions: wanted.permissions ?? null,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      });
      await manager.save(group);
      await addToGroups(change, await keysOf(manager, accountId, keyIdsOf(wanted.members ?? {})), [group]);
      return group;
    });
  }

  /** What is given is changed; the group's keys have the new permissions at once. */
  async update(accountId: string, id: string, { name, permissions }: KeyGroupChange): Promise<KeyGroupRecord> {
    return this.change(accountId, async (change) => {
      const group = await groupOf(change.manager, accountId, id);
      if (name !== undefined && name !== group.name) {
        await this.refuseTaken(change.manager, accountId, name);
        group.name = name;
      }
      if (permissions !== undefined && group.kind !== 'custom') throw new GroupPermissionsFixed(group.name);
      if (permissions !== undefined) group.permissions = permissions;
      const stored = await this.store(change, group);
      if (permissions !== undefined) for (const key of await keysIn(change.manager, id)) await storeKey(change, key);
      return stored;
    });
  }

  async remove(accountId: string, id: string): Promise<void> {
    await this.changes.run(accountId, async (change) => {
      const { manager } = change;
      const group = await groupOf(manager, accountId, id);
      if (group.kind !== 'custom') throw new GroupProtected(group.name);
      await removeFromGroups(change, await keysIn(manager, id), [id]);
      await manager.delete(KeyGroup, { id });
    });
    this.known.forgetAll();
  }

  async addKeys(accountId: string, id: string, members: Members): Promise<KeyGroupRecord> {
    return this.change(accountId, async (change) => {
      const group = await groupOf(change.manager, accountId, id);
      await addToGroups(change, await keysOf(change.manager, accountId, keyIdsOf(members)), [group]);
      return this.store(change, group);
    });
  }

  async removeKeys(accountId: string, id: string, members: Members): Promise<KeyGroupRecord> {
    return this.change(accountId, async (change) => {
      const group = await groupOf(change.manager, accountId, id);
      await removeFromGroups(change, await keysOf(change.manager, accountId, keyIdsOf(members)), [id]);
      return this.store(change, group);
    });
  }

  private async change(accountId: string, work: (change: AccountChange) => Promise<KeyGroup>): Promise<KeyGroupRecord> {
    const record = await this.changes.run(accountId, async (change) => recordOf(change.manager, await work(change)));
    this.known.forgetAll();
    return record;
  }

  private async store({ manager, now }: AccountChange, group: KeyGroup): Promise<KeyGroup> {
    group.revision += 1;
    group.updatedAt = now;
    return manager.save(group);
  }

  /** The account's row is locked, so nobody takes the name in between. */
  private async refuseTaken(manager: EntityManager, accountId: string, name: string): Promise<void> {
    if (await manager.existsBy(KeyGroup, { accountId, name })) throw new GroupNameTaken();
  }

  private async page(source: PageSource, query: ListQuery): Promise<ListEnvelope<KeyGroupRecord>> {
    const { manager } = this.database;
    const { ids, total } = await pageOfIds(manager, source, query);
    const groups = inOrder(ids, await manager.findBy(KeyGroup, { id: In(ids) }));
    const counts = await keyCounts(manager, ids);
    return listEnvelope(
      groups.map((group) => keyGroupRecord(group, counts.get(group.id) ?? 0)),
      query,
      total,
    );
  }
}
