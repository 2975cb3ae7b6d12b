import { type EntityManager, In } from 'typeorm';
import { AlreadyMember, KeyNotFound, UnknownMembers } from '../errors.js';
import type { AccountChange } from './account-changes.js';
import { ApiKey } from './api-key.entity.js';
import { KeyGroup } from './key-group.entity.js';

/** Throws UnknownMembers naming ids that are no groups of the account. */
export const groupsOf = async (
  manager: EntityManager,
  accountId: string,
  ids: readonly string[],
): Promise<KeyGroup[]> => {
  const wanted = [...new Set(ids)];
  const found = await manager.find(KeyGroup, { where: { accountId, id: In(wanted) } });
  const missing = wanted.filter((id) => !found.some((group) => group.id === id));
  if (missing.length > 0) throw new UnknownMembers('groups', missing);
  return found;
};

/** Throws UnknownMembers naming ids that are no keys of the account. */
export const keysOf = async (manager: EntityManager, accountId: string, ids: readonly string[]): Promise<ApiKey[]> => {
  const wanted = [...new Set(ids)];
  const found = await manager.find(ApiKey, { where: { accountId, id: In(wanted) }, relations: { groups: true } });
  const missing = wanted.filter((id) => !found.some((key) => key.id === id));
  if (missing.length > 0) throw new UnknownMembers('apikeys', missing);
  return found;
};

/** The keys in a group. */
export const keysIn = async (manager: EntityManager, groupId: string): Promise<ApiKey[]> => {
  const members = await manager.query<{ key_id: string }[]>('SELECT key_id FROM api_key_groups WHERE group_id = $1', [
    groupId,
  ]);
  return manager.find(ApiKey, { where: { id: In(members.map((m) => m.key_id)) }, relations: { groups: true } });
};

export const keysOfAccount = (manager: EntityManager, accountId: string): Promise<ApiKey[]> =>
  manager.find(ApiKey, { where: { accountId }, relations: { groups: true } });

export const keyOf = async (manager: EntityManager, accountId: string, id: string): Promise<ApiKey> => {
  const key = await manager.findOne(ApiKey, { where: { accountId, id }, relations: { groups: true } });
  if (!key) throw new KeyNotFound();
  return key;
};

/** Stores a changed key and announces it. */
export const storeKey = async ({ manager, now, announce }: AccountChange, key: ApiKey): Promise<ApiKey> => {
  key.revision += 1;
  key.updatedAt = now;
  await manager.save(key);
  await announce(key);
  return key;
};

/** Throws AlreadyMember and changes nothing when one of them is in it already. */
export const addToGroups = async (
  change: AccountChange,
  keys: readonly ApiKey[],
  groups: readonly KeyGroup[],
): Promise<void> => {
  const isMember = (key: ApiKey, group: KeyGroup): boolean => key.groups.some((g) => g.id === group.id);
  const already = keys.flatMap((key) => groups.filter((group) => isMember(key, group)).map((group) => [key, group]));
  if (already.length > 0) throw new AlreadyMember(already.map((pair) => pair[keys.length === 1 ? 1 : 0]?.id ?? ''));
  for (const key of keys) {
    key.groups = [...key.groups, ...groups];
    await storeKey(change, key);
  }
};

/** Keys that are in none of them stay as they are. */
export const removeFromGroups = async (
  change: AccountChange,
  keys: readonly ApiKey[],
  groupIds: readonly string[],
): Promise<void> => {
  for (const key of keys) {
    const left = key.groups.filter((group) => !groupIds.includes(group.id));
    if (left.length === key.groups.length) continue;
    key.groups = left;
    await storeKey(change, key);
  }
};
