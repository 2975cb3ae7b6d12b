import { isDeepStrictEqual } from 'node:util';
import {
  CLOCK,
  type Clock,
  dividedChange,
  inOrder,
  type ListEnvelope,
  listEnvelope,
  type ListQuery,
  newId,
  refuseOtherValues,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager, In } from 'typeorm';
import { KnownKeys } from '../authentication/known-keys.js';
import { GroupNameTaken, GroupNotFound, GroupPermissionsFixed, GroupProtected, UnknownMembers } from '../errors.js';
import { type AccountChange, AccountChanges } from './account-changes.js';
import { applicationRecord, type ApplicationRecord } from './application-record.js';
import { Application } from '../db/application.entity.js';
import { ApiKey } from '../db/api-key.entity.js';
import { apiKeyRecord, type ApiKeyRecord } from './api-key-record.js';
import { type By, type AuditAction, mustBeMeant } from './by.js';
import { KeyGroup } from '../db/key-group.entity.js';
import {
  type KeyGroupChange,
  keyGroupChanges,
  keyGroupRecord,
  type KeyGroupRecord,
  type MemberCounts,
  type Members,
  type NewKeyGroup,
} from './key-group-record.js';
import { addToGroups, holdersIn, type MemberIds, membersOf, removeFromGroups, storeHolder } from './membership.js';
import { pageOfIds, type PageSource } from './page-of-ids.js';
import { permissionsOfGroup } from '../permissions.js';

const columns = { id: 't.id', name: 't.name' };
/** Fields that may differ from what the caller read although the group was not changed. */
const memberCounts = ['apikey_count', 'user_count', 'application_count'];
const noMembers: MemberCounts = { keys: 0, applications: 0 };

const groupOf = async (manager: EntityManager, accountId: string, id: string): Promise<KeyGroup> => {
  const group = await manager.findOne(KeyGroup, { where: { accountId, id } });
  if (!group) throw new GroupNotFound();
  return group;
};

const countsOf = async (manager: EntityManager, ids: readonly string[]): Promise<Map<string, MemberCounts>> => {
  const rows = await manager.query<(MemberCounts & { id: string })[]>(
    `SELECT g.id, (SELECT count(*)::int FROM api_key_groups m WHERE m.group_id = g.id) AS keys,
       (SELECT count(*)::int FROM application_groups m WHERE m.group_id = g.id) AS applications
     FROM unnest($1::text[]) AS g (id)`,
    [ids],
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
};

const recordOf = async (manager: EntityManager, group: KeyGroup): Promise<KeyGroupRecord> =>
  keyGroupRecord(group, (await countsOf(manager, [group.id])).get(group.id) ?? noMembers);

/** There are no users: naming one is an error. */
const withoutUsers = ({ apikeys, applications, users = [] }: Members): MemberIds => {
  if (users.length > 0) throw new UnknownMembers('users', users);
  return { apikeys, applications };
};

const targetOf = ({ id, name }: KeyGroup): AuditAction['target'] => ({ kind: 'group', id, name });

const listed = ({ apikeys = [], applications = [] }: MemberIds): Record<string, string> => ({
  ...(apikeys.length > 0 && { apikeys: apikeys.join(',') }),
  ...(applications.length > 0 && { applications: applications.join(',') }),
});

/** Key groups of an account (the interface calls them policy groups). */
@Injectable()
export class KeyGroups {
  constructor(
    private readonly database: DataSource,
    private readonly changes: AccountChanges,
    private readonly known: KnownKeys,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  list(accountId: string, query: ListQuery): Promise<ListEnvelope<KeyGroupRecord>> {
    return this.page({ from: 'key_groups t', columns, where: 't.account_id = $1', parameters: [accountId] }, query);
  }

  /** The groups of a key or of an application. */
  listOf(
    accountId: string,
    kind: 'key' | 'application',
    id: string,
    query: ListQuery,
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const members = kind === 'key' ? 'api_key_groups' : 'application_groups';
    const from = `key_groups t JOIN ${members} m ON m.group_id = t.id`;
    const where = `t.account_id = $1 AND m.${kind}_id = $2`;
    return this.page({ from, columns, where, parameters: [accountId, id] }, query);
  }

  async get(accountId: string, id: string): Promise<KeyGroupRecord> {
    const { manager } = this.database;
    return recordOf(manager, await groupOf(manager, accountId, id));
  }

  async keys(accountId: string, id: string, query: ListQuery): Promise<ListEnvelope<ApiKeyRecord>> {
    const { ids, total } = await this.members('key', accountId, id, query);
    const keys = await this.database.manager.find(ApiKey, { where: { id: In(ids) }, relations: { groups: true } });
    return listEnvelope(
      inOrder(ids, keys).map((key) => apiKeyRecord(key, this.clock.now())),
      query,
      total,
    );
  }

  async applications(accountId: string, id: string, query: ListQuery): Promise<ListEnvelope<ApplicationRecord>> {
    const { ids, total } = await this.members('application', accountId, id, query);
    const { manager } = this.database;
    const found = await manager.find(Application, { where: { id: In(ids) }, relations: { groups: true } });
    return listEnvelope(inOrder(ids, found).map(applicationRecord), query, total);
  }

  async create(by: By, wanted: NewKeyGroup): Promise<KeyGroupRecord> {
    const { accountId } = by;
    const members = withoutUsers(wanted.members ?? {});
    return this.change(by, async (change) => {
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
      await addToGroups(change, await membersOf(manager, accountId, members), [group]);
      await change.record(by.caller, { action: 'SYS_520', target: targetOf(group), data: listed(members) });
      return group;
    });
  }

  /** Changes the given fields; the group's members have the new permissions at once. */
  async update(by: By, id: string, body: KeyGroupChange): Promise<KeyGroupRecord> {
    const { changes: given, unchanged } = dividedChange(body, keyGroupChanges);
    const { name, permissions: wanted } = given;
    return this.change(by, async (change) => {
      const group = await this.meant(change, by, id);
      refuseOtherValues(unchanged, keyGroupRecord(group, noMembers), memberCounts);
      const permissions = isDeepStrictEqual(wanted, permissionsOfGroup(group)) ? undefined : wanted;
      if (name !== undefined && name !== group.name) {
        await this.refuseTaken(change.manager, by.accountId, name);
        group.name = name;
      }
      if (permissions !== undefined && group.kind !== 'custom') throw new GroupPermissionsFixed(group.name);
      if (permissions !== undefined) group.permissions = permissions;
      const stored = await this.store(change, group);
      if (permissions !== undefined)
        for (const holder of await holdersIn(change.manager, id)) await storeHolder(change, holder);
      const changes = {
        ...(name !== undefined && { name }),
        ...(permissions && { permissions: permissions.join(',') }),
      };
      await change.record(by.caller, { action: 'SYS_521', target: targetOf(group), changes });
      return stored;
    });
  }

  async remove(by: By, id: string): Promise<void> {
    await this.changes.run(by, async (change) => {
      const group = await this.meant(change, by, id);
      if (group.kind !== 'custom') throw new GroupProtected(group.name);
      await removeFromGroups(change, await holdersIn(change.manager, id), [id]);
      await change.manager.delete(KeyGroup, { id });
      await change.record(by.caller, { action: 'SYS_522', target: targetOf(group) });
    });
    this.known.outdateAll();
  }

  async add(by: By, id: string, members: Members): Promise<KeyGroupRecord> {
    const ids = withoutUsers(members);
    return this.change(by, async (change) => {
      const group = await this.meant(change, by, id);
      await addToGroups(change, await membersOf(change.manager, by.accountId, ids), [group]);
      await change.record(by.caller, { action: 'SYS_523', target: targetOf(group), data: listed(ids) });
      return this.store(change, group);
    });
  }

  async take(by: By, id: string, members: Members): Promise<KeyGroupRecord> {
    const ids = withoutUsers(members);
    return this.change(by, async (change) => {
      const group = await this.meant(change, by, id);
      await removeFromGroups(change, await membersOf(change.manager, by.accountId, ids), [id]);
      await change.record(by.caller, { action: 'SYS_524', target: targetOf(group), data: listed(ids) });
      return this.store(change, group);
    });
  }

  private async meant({ manager }: AccountChange, by: By, id: string): Promise<KeyGroup> {
    const group = await groupOf(manager, by.accountId, id);
    mustBeMeant(by, group);
    return group;
  }

  private async change(by: By, work: (change: AccountChange) => Promise<KeyGroup>): Promise<KeyGroupRecord> {
    const record = await this.changes.run(by, async (change) => recordOf(change.manager, await work(change)));
    this.known.outdateAll();
    return record;
  }

  private async store({ manager, now }: AccountChange, group: KeyGroup): Promise<KeyGroup> {
    group.revision += 1;
    group.updatedAt = now;
    return manager.save(group);
  }

  /** The account's row is locked, so no concurrent change can use the name. */
  private async refuseTaken(manager: EntityManager, accountId: string, name: string): Promise<void> {
    if (await manager.existsBy(KeyGroup, { accountId, name })) throw new GroupNameTaken();
  }

  private async members(
    kind: 'key' | 'application',
    accountId: string,
    id: string,
    query: ListQuery,
  ): Promise<{ ids: string[]; total: number }> {
    const { manager } = this.database;
    await groupOf(manager, accountId, id);
    const [table, members] = kind === 'key' ? ['api_keys', 'api_key_groups'] : ['applications', 'application_groups'];
    const from = `${table} t JOIN ${members} m ON m.${kind}_id = t.id`;
    const source = { from, columns: {}, where: 't.account_id = $1 AND m.group_id = $2', parameters: [accountId, id] };
    return pageOfIds(manager, source, query);
  }

  private async page(source: PageSource, query: ListQuery): Promise<ListEnvelope<KeyGroupRecord>> {
    const { manager } = this.database;
    const { ids, total } = await pageOfIds(manager, source, query);
    const groups = inOrder(ids, await manager.findBy(KeyGroup, { id: In(ids) }));
    const counts = await countsOf(manager, ids);
    return listEnvelope(
      groups.map((group) => keyGroupRecord(group, counts.get(group.id) ?? noMembers)),
      query,
      total,
    );
  }
}
