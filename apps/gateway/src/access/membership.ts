import { type EntityManager, In, Raw } from 'typeorm';
import {
  AlreadyMember,
  ApplicationNotFound,
  GroupLimitExceeded,
  KeyNotFound,
  UnknownMembers,
  UserNotFound,
} from '../errors.js';
import type { AccountTransaction } from './account-transactions.js';
import type { Principal } from './announcements.js';
import { ApiKey } from '../db/api-key.entity.js';
import { Application } from '../db/application.entity.js';
import { KeyGroup } from '../db/key-group.entity.js';
import { User } from '../db/user.entity.js';
import { groupsPerPrincipalMax } from './record-schemas.js';

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

export const isInExactly = ({ groups }: Principal, ids: readonly string[]): boolean => {
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
): Promise<Principal[]> => {
  const [keyIds, applicationIds] = [[...new Set(apikeys)], [...new Set(applications)]];
  const keys = await manager.find(ApiKey, { where: { accountId, id: In(keyIds) }, relations });
  const found = await manager.find(Application, { where: { accountId, id: In(applicationIds) }, relations });
  return [...allOf(keyIds, keys, 'apikeys'), ...allOf(applicationIds, found, 'applications')];
};

/** With all their groups: a condition on `groups` would leave out the other ones. */
export const principalsIn = async (manager: EntityManager, groupId: string): Promise<Principal[]> => {
  const oneOf = (members: string) => Raw((id) => `${id} IN (SELECT ${members} WHERE group_id = :groupId)`, { groupId });
  return [
    ...(await manager.find(User, { where: { id: oneOf('user_id FROM user_groups') }, relations })),
    ...(await manager.find(ApiKey, { where: { id: oneOf('key_id FROM api_key_groups') }, relations })),
    ...(await manager.find(Application, { where: { id: oneOf('application_id FROM application_groups') }, relations })),
  ];
};

export const principalsOfAccount = async (manager: EntityManager, accountId: string): Promise<Principal[]> => [
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
export const storePrincipal = async (
  { manager, now, announce }: AccountTransaction,
  principal: Principal,
): Promise<void> => {
  principal.revision += 1;
  principal.updatedAt = now;
  await manager.save(principal);
  await announce(principal);
};

/**
 * Throws AlreadyMember if one of them is already a member, and GroupLimitExceeded. The transaction must then be rolled
 * back, because some of the principals may be stored already.
 */
export const addToGroups = async (
  transaction: AccountTransaction,
  principals: readonly Principal[],
  groups: readonly KeyGroup[],
): Promise<void> => {
  const isMember = (principal: Principal, group: KeyGroup): boolean => principal.groups.some((g) => g.id === group.id);
  const already = principals.flatMap((one) =>
    groups.filter((group) => isMember(one, group)).map((group) => [one, group]),
  );
  const named = principals.length === 1 ? 1 : 0;
  if (already.length > 0) throw new AlreadyMember(already.map((pair) => pair[named]?.id ?? ''));
  for (const principal of principals) {
    principal.groups = [...principal.groups, ...groups];
    if (principal.groups.length > groupsPerPrincipalMax) throw new GroupLimitExceeded(groupsPerPrincipalMax);
    await storePrincipal(transaction, principal);
  }
};

/** Principals that are in none of the groups are not changed. */
export const removeFromGroups = async (
  transaction: AccountTransaction,
  principals: readonly Principal[],
  groupIds: readonly string[],
): Promise<void> => {
  for (const principal of principals) {
    const left = principal.groups.filter((group) => !groupIds.includes(group.id));
    if (left.length === principal.groups.length) continue;
    principal.groups = left;
    await storePrincipal(transaction, principal);
  }
};
