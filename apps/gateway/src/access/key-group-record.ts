import { formatTimestamp, recordChange } from '@lanyard/service';
import { z } from 'zod';
import type { KeyGroup } from '../db/key-group.entity.js';
import { grantable, permissionsOfGroup } from '../permissions.js';
import { deviceGroups, listOf, recordName } from './record-schemas.js';

const permissions = z.array(z.enum(grantable)).max(grantable.length);

export const KeyGroupRecord = z
  .object({
    object: z.literal('group'),
    id: z.string(),
    name: z.string(),
    account_id: z.string(),
    permissions: permissions.describe('Permissions that the group grants to its keys; `devices` includes its parts'),
    device_groups: deviceGroups.describe(
      'Device groups that its keys and applications are limited to; null: all devices',
    ),
    apikey_count: z.number().int(),
    user_count: z.number().int(),
    application_count: z.number().int(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'KeyGroup' });

export type KeyGroupRecord = z.infer<typeof KeyGroupRecord>;

export const KeyGroupList = listOf(KeyGroupRecord, 'KeyGroupList');

const ids = z.array(z.string()).max(1_000).optional();

/** Users get their groups from the OpenID provider, so their list must be empty. */
export const Members = z
  .strictObject({ apikeys: ids, users: ids, applications: ids })
  .meta({ id: 'KeyGroupMembers', examples: [{ apikeys: ['0178a2c0d1e400000000000000000a01'] }] });

export type Members = z.infer<typeof Members>;

export const NewKeyGroup = z
  .strictObject({
    name: recordName,
    permissions: permissions.optional(),
    device_groups: deviceGroups.optional(),
    members: Members.optional(),
  })
  .meta({ id: 'NewKeyGroup' });
export type NewKeyGroup = z.infer<typeof NewKeyGroup>;

export const keyGroupChanges = {
  name: recordName.optional(),
  permissions: permissions.optional(),
  device_groups: deviceGroups.optional(),
};

export const KeyGroupChange = recordChange(KeyGroupRecord, keyGroupChanges).meta({
  id: 'KeyGroupChange',
  examples: [{ name: 'Readers', permissions: ['devices.read'] }],
});
export type KeyGroupChange = z.infer<typeof KeyGroupChange>;

export interface MemberCounts {
  keys: number;
  users: number;
  applications: number;
}

export const keyGroupRecord = (group: KeyGroup, { keys, users, applications }: MemberCounts): KeyGroupRecord => ({
  object: 'group',
  id: group.id,
  name: group.name,
  account_id: group.accountId,
  permissions: [...permissionsOfGroup(group)],
  device_groups: group.deviceGroups,
  apikey_count: keys,
  user_count: users,
  application_count: applications,
  created_at: formatTimestamp(group.createdAt),
  updated_at: formatTimestamp(group.updatedAt),
  etag: String(group.revision),
});
