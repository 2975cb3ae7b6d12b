import { type EntityManager, In, Raw } from 'typeorm';
import {
  AlreadyMember,
  ApplicationNotFound,
  GroupLimitExceeded,
  KeyNotFound,
  UnknownMembers,
  UserNotFound,
} from '../errors.js';
import type { AccountTransaction } from './account-changes.js';
import type { Holder } from './announcements.js';
import { ApiKey } from '../db/api-key.entity.js';
import { Application } from '../db/application.entity.js';
import { KeyGroup } from '../db/key-group.entity.js';
import { User } from '../db/user.entity.js';
import { groupsPerHolderMax } from './record-schemas.js';

const relations = { groups: true } as const;

const allOf = <T extends { id: string }>(wanted: readonly string[], found: readonly T[], name: string): T[] => {
  const missing = wanted.filter((id) => !found.some((one) => one.id === id));
  if (missing.length > 0) throw new UnknownMembers(name, missing);
  return [...found];
};

/** Throws UnknownMembers with the ids that are not groups of the account. */
export const groupsOf = async (
  manager: EntityManager,
  accountId: string,
  ids: readonly string[],
): Promise<KeyGroup[]> => {
  const wanted = [...new Set(ids)];
  return allOf(wanted, await manager.find(KeyGroup, { where: { accountId, id: In(wanted) } }), 'groups');
};

/** Without groups a new key or application joins Developers. */
export const groupsOfNew = async (
  manager: EntityManager,
  accountId: string,
  ids: readonly string[] = [],
): Promise<KeyGroup[]> =>
  ids.length > 0
    ? groupsOf(manager, accountId, ids)
    : manager.find(KeyGroup, { where: { accountId, kind: 'developers' } });

export const isInExactly = ({ groups }: Holder, ids: readonly string[]): boolean => {
  const wanted = new Set(ids);
  return wanted.size === groups.length && groups.every((group) => wanted.has(group.id));
};

export interface MemberIds {
  apikeys?: readonly string[] | undefined;
  applications?: readonly string[] | undefined;
}

/** Throws UnknownMembers with the ids that are not keys, or not applications, of the account. */
export const membersOf = async (
  manager: EntityManager,
  accountId: string,
  { apikeys = [], applications = [] }: MemberIds,
): Promise<Holder[]> => {
  const [keyIds, applicationIds] = [[...new Set(apikeys)], [...new Set(applications)]];
  const keys = await manager.find(ApiKey, { where: { accountId, id: In(keyIds) }, relations });
  const found = await manager.find(Application, { where: { accountId, id: In(applicationIds) }, relations });
  return [...allOf(keyIds, keys, 'apikeys'), ...allOf(applicationIds, found, 'applications')];
};

/** With all their groups: a condition on `groups` would leave out the other ones. */
export const holdersIn = async (manager: EntityManager, groupId: string): Promise<Holder[]> => {
  const oneOf = (members: string) => Raw((id) => `${id} IN (SELECT ${members} WHERE group_id = :groupId)`, { groupId });
  return [
    ...(await manager.find(User, { where: { id: oneOf('user_id FROM user_groups') }, relations })),
    ...(await manager.find(ApiKey, { where: { id: oneOf('key_id FROM api_key_groups') }, relations })),
    ...(await manager.find(Application, { where: { id: oneOf('application_id FROM application_groups') }, relations })),
  ];
};

export const holdersOfAccount = async (manager: EntityManager, accountId: string): Promise<Holder[]> => [
  ...(await manager.find(User, { where: { accountId }, relations })),
  ...(await manager.find(ApiKey, { where: { accountId }, relations })),
  ...(await manager.find(Application, { where: { accountId }, relations })),
];

export const keyOf = async (manager: EntityManager, accountId: string, id: string): Promise<ApiKey> => {
  const key = await manager.findOne(ApiKey, { where: { accountId, id }, relations });
  if (!key) throw new KeyNotFound();
  return key;
};

export const applicationOf = async (manager: EntityManager, accountId: string, id: string): Promise<Application> => {
  const application = await manager.findOne(Application, { where: { accountId, id }, relations });
  if (!application) throw new ApplicationNotFound();
  return application;
};

export const userOf = async (manager: EntityManager, accountId: string, id: string): Promise<User> => {
  const user = await manager.findOne(User, { where: { accountId, id }, relations });
  if (!user) throw new UserNotFound();
  return user;
};

/** Stores a changed key, application or user and announces it. */
export const storeHolder = async ({ manager, now, announce }: AccountTransaction, holder: Holder): Promise<void> => {
  holder.revision += 1;
  holder.updatedAt = now;
  await manager.save(holder);
  await announce(holder);
};

/**
 * Throws AlreadyMember if one of them is already a member, and GroupLimitExceeded. The transaction must then be rolled
 * back, because some of the holders may be stored already.
 */
export const addToGroups = async (
  change: AccountTransaction,
  holders: readonly Holder[],
  groups: readonly KeyGroup[],
): Promise<void> => {
  const isMember = (holder: Holder, group: KeyGroup): boolean => holder.groups.some((g) => g.id === group.id);
  const already = holders.flatMap((one) => groups.filter((group) => isMember(one, group)).map((group) => [one, group]));
  if (already.length > 0) throw new AlreadyMember(already.map((pair) => pair[holders.length === 1 ? 1 : 0]?.id ?? ''));
  for (const holder of holders) {
    holder.groups = [...holder.groups, ...groups];
    if (holder.groups.length > groupsPerHolderMax) throw new GroupLimitExceeded(groupsPerHolderMax);
    await storeHolder(change, holder);
  }
};

/** Holders that are in none of the groups are not changed. */
export const removeFromGroups = async (
  change: AccountTransaction,
  holders: readonly Holder[],
  groupIds: readonly string[],
): Promise<void> => {
  for (const holder of holders) {
    const left = holder.groups.filter((group) => !groupIds.includes(group.id));
    if (left.length === holder.groups.length) continue;
    holder.groups = left;
    await storeHolder(change, holder);
  }
};
