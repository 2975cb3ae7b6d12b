import { isDeepStrictEqual } from 'node:util';
import {
  changesOf,
  CLOCK,
  type Clock,
  type ListEnvelope,
  type ListQuery,
  newId,
  type RequestContext,
} from '@lanyard/service';
import { Inject, Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';
import { KeyGroup } from '../db/key-group.entity.js';
import {
  GroupLimitFixed,
  GroupNameTaken,
  GroupNotFound,
  GroupPermissionsFixed,
  GroupProtected,
  UnknownMembers,
} from '../errors.js';
import { permissionsOfGroup } from '../permissions.js';
import { type AccountTransaction, AccountTransactions } from './account-transactions.js';
import type { Principal } from './announcements.js';
import { type AuditAction, requireIfMatch } from './audit-action.js';
import {
  KeyGroupChange,
  keyGroupChanges,
  keyGroupRecord,
  KeyGroupRecord,
  type MemberCounts,
  Members,
  NewKeyGroup,
} from './key-group-record.js';
import {
  addToGroups,
  type MemberIds,
  membersOf,
  principalsIn,
  removeFromGroups,
  storePrincipal,
} from './membership.js';
import { pageOfEntities } from './page-of-entities.js';

/** Fields that may differ from what the caller read although the group was not changed. */
const memberCounts = ['apikey_count', 'user_count', 'application_count'];
const noMembers: MemberCounts = { keys: 0, users: 0, applications: 0 };

const groupOf = async (manager: EntityManager, accountId: string, id: string): Promise<KeyGroup> => {
  const group = await manager.findOne(KeyGroup, { where: { accountId, id } });
  if (!group) throw new GroupNotFound();
  return group;
};

const countsOf = async (manager: EntityManager, ids: readonly string[]): Promise<Map<string, MemberCounts>> => {
  const rows = await manager.query<(MemberCounts & { id: string })[]>(
    `SELECT g.id, (SELECT count(*)::int FROM api_key_groups m WHERE m.group_id = g.id) AS keys,
       (SELECT count(*)::int FROM user_groups m WHERE m.group_id = g.id) AS users,
       (SELECT count(*)::int FROM application_groups m WHERE m.group_id = g.id) AS applications
     FROM unnest($1::text[]) AS g (id)`,
    [ids],
  );
  return new Map(rows.map(({ id, ...counts }) => [id, counts]));
};

const recordOf = async (manager: EntityManager, group: KeyGroup): Promise<KeyGroupRecord> =>
  keyGroupRecord(group, (await countsOf(manager, [group.id])).get(group.id) ?? noMembers);

/** Users get their groups from the OpenID provider: naming one is an error. */
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
export class KeyGroupsService {
  constructor(
    private readonly database: DataSource,
    private readonly transactions: AccountTransactions,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Lists the groups of the account, or those of one key or application. */
  list(
    accountId: string,
    query: ListQuery,
    of?: { kind: 'key' | 'application'; id: string },
  ): Promise<ListEnvelope<KeyGroupRecord>> {
    const { manager } = this.database;
    const source = { entity: KeyGroup, from: 'key_groups t' };
    const members = of?.kind === 'application' ? 'application_groups' : 'api_key_groups';
    const [where, parameters] = of
      ? [`t.id IN (SELECT group_id FROM ${members} WHERE ${of.kind}_id = $2) AND t.account_id = $1`, [accountId, of.id]]
      : ['t.account_id = $1', [accountId]];
    return pageOfEntities(manager, { ...source, where, parameters }, query, async (groups) => {
      const ids = groups.map(({ id }) => id);
      const counts = await countsOf(manager, ids);
      return groups.map((group) => keyGroupRecord(group, counts.get(group.id) ?? noMembers));
    });
  }

  async get(accountId: string, id: string): Promise<KeyGroupRecord> {
    const { manager } = this.database;
    return recordOf(manager, await groupOf(manager, accountId, id));
  }

  async create(context: RequestContext, wanted: NewKeyGroup): Promise<KeyGroupRecord> {
    const { accountId } = context;
    const members = withoutUsers(wanted.members ?? {});
    return this.change(context, async (transaction) => {
      const { manager, now } = transaction;
      await this.refuseTaken(manager, accountId, wanted.name);
      const group = manager.create(KeyGroup, {
        id: newId(this.clock.now()),
        accountId,
        name: wanted.name,
        kind: 'custom',
        permissions: wanted.permissions ?? null,
        deviceGroups: wanted.device_groups ?? null,
        revision: 1,
        createdAt: now,
        updatedAt: now,
      });
      await manager.save(group);
      await addToGroups(transaction, await membersOf(manager, accountId, members), [group]);
      const changes = {
        permissions: permissionsOfGroup(group).join(','),
        ...(group.deviceGroups && { device_groups: group.deviceGroups.join(',') }),
      };
      const target = targetOf(group);
      await transaction.record(context.caller, { action: 'SYS_520', target, changes, data: listed(members) });
      return group;
    });
  }

  /** Changes the given fields; the group's members have the new permissions at once. */
  update(context: RequestContext, body: KeyGroupChange): Promise<KeyGroupRecord> {
    return this.change(context, async (transaction) => {
      const group = await this.groupToChange(transaction, context);
      const {
        name,
        permissions: wanted,
        device_groups: limit,
      } = changesOf(body, keyGroupChanges, keyGroupRecord(group, noMembers), memberCounts);
      const permissions = isDeepStrictEqual(wanted, permissionsOfGroup(group)) ? undefined : wanted;
      const isRenamed = name !== undefined && name !== group.name;
      if (isRenamed) {
        await this.refuseTaken(transaction.manager, context.accountId, name);
        group.name = name;
      }
      if (permissions !== undefined && group.kind !== 'custom') throw new GroupPermissionsFixed(group.name);
      if (permissions !== undefined) group.permissions = permissions;
      const isOtherLimit = limit !== undefined && !isDeepStrictEqual(limit, group.deviceGroups);
      if (isOtherLimit && group.kind !== 'custom') throw new GroupLimitFixed(group.name);
      if (isOtherLimit) group.deviceGroups = limit;
      const stored = await this.store(transaction, group);
      if (permissions !== undefined || isOtherLimit)
        for (const principal of await principalsIn(transaction.manager, context.id))
          await storePrincipal(transaction, principal);
      const changes = {
        ...(isRenamed && { name }),
        ...(permissions && { permissions: permissions.join(',') }),
        ...(isOtherLimit && { device_groups: limit?.join(',') ?? '' }),
      };
      await transaction.record(context.caller, { action: 'SYS_521', target: targetOf(group), changes });
      return stored;
    });
  }

  async remove(context: RequestContext): Promise<void> {
    await this.transactions.run(context, async (transaction) => {
      const group = await this.groupToChange(transaction, context);
      if (group.kind !== 'custom') throw new GroupProtected(group.name);
      await removeFromGroups(transaction, await principalsIn(transaction.manager, context.id), [context.id]);
      await transaction.manager.delete(KeyGroup, { id: context.id });
      await transaction.record(context.caller, { action: 'SYS_522', target: targetOf(group) });
    });
  }

  addMembers(context: RequestContext, members: Members): Promise<KeyGroupRecord> {
    return this.changeMembers(context, members, 'SYS_523', (transaction, principals, group) =>
      addToGroups(transaction, principals, [group]),
    );
  }

  removeMembers(context: RequestContext, members: Members): Promise<KeyGroupRecord> {
    return this.changeMembers(context, members, 'SYS_524', (transaction, principals) =>
      removeFromGroups(transaction, principals, [context.id]),
    );
  }

  private changeMembers(
    context: RequestContext,
    members: Members,
    action: AuditAction['action'],
    work: (transaction: AccountTransaction, principals: Principal[], group: KeyGroup) => Promise<void>,
  ): Promise<KeyGroupRecord> {
    const ids = withoutUsers(members);
    return this.change(context, async (transaction) => {
      const group = await this.groupToChange(transaction, context);
      await work(transaction, await membersOf(transaction.manager, context.accountId, ids), group);
      await transaction.record(context.caller, { action, target: targetOf(group), data: listed(ids) });
      return this.store(transaction, group);
    });
  }

  /** Throws GroupNotFound, EtagDiffers. */
  private async groupToChange({ manager }: AccountTransaction, context: RequestContext): Promise<KeyGroup> {
    const group = await groupOf(manager, context.accountId, context.id);
    requireIfMatch(context, group);
    return group;
  }

  private change(
    context: RequestContext,
    work: (transaction: AccountTransaction) => Promise<KeyGroup>,
  ): Promise<KeyGroupRecord> {
    return this.transactions.run(context, async (transaction) =>
      recordOf(transaction.manager, await work(transaction)),
    );
  }

  private async store({ manager, now }: AccountTransaction, group: KeyGroup): Promise<KeyGroup> {
    group.revision += 1;
    group.updatedAt = now;
    return manager.save(group);
  }

  /** The account's row is locked, so no concurrent change can use the name. */
  private async refuseTaken(manager: EntityManager, accountId: string, name: string): Promise<void> {
    if (await manager.existsBy(KeyGroup, { accountId, name })) throw new GroupNameTaken();
  }
}
