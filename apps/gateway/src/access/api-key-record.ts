import { formatApiKey, formatTimestamp, publicPart, recordChange } from '@lanyard/service';
import { z } from 'zod';
import type { ApiKey } from '../db/api-key.entity.js';
import { expiration, statusChange, shownStatus } from './expiration.js';
import { deviceGroups, groupIds, listOf, recordName, sourceAddresses } from './record-schemas.js';

export const ApiKeyRecord = z
  .object({
    object: z.literal('api-key'),
    id: z.string(),
    key: z
      .string()
      .describe(
        'The whole key only in the responses to create, reset-secret and rotate; otherwise without its secret part',
      ),
    name: z.string(),
    status: z.enum(['ACTIVE', 'INACTIVE', 'EXPIRED']),
    groups: z.array(z.string()),
    device_groups: deviceGroups.describe(
      'Device groups that the key is limited to, besides the limits of its key groups; null: all devices',
    ),
    source_addresses: sourceAddresses.describe('Networks that the key may be used from; null: any'),
    owner: z.string().optional(),
    account_id: z.string(),
    created_at: z.string(),
    creation_time: z.number().int().describe('Milliseconds since the epoch'),
    updated_at: z.string(),
    expiration: z.string().optional().describe('Requests with the key are rejected from this time on'),
    previous_secret_expires_at: z
      .string()
      .optional()
      .describe('During the overlap of a rotation: when the previous secret stops being valid'),
    last_used_at: z.string().optional(),
    last_login_time: z.number().int().describe('Milliseconds since the epoch; 0: never used'),
    etag: z.string(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyRecord = z.infer<typeof ApiKeyRecord>;

export const ApiKeyList = listOf(ApiKeyRecord, 'ApiKeyList');

export const apiKeyChanges = {
  name: recordName.optional(),
  groups: groupIds.optional(),
  device_groups: deviceGroups.optional(),
  source_addresses: sourceAddresses.optional(),
  owner: z.string().max(64).nullable().optional(),
  expiration,
  status: statusChange,
};

export const ApiKeyChange = recordChange(ApiKeyRecord, apiKeyChanges).meta({
  id: 'ApiKeyChange',
  examples: [{ name: 'meter-backend' }],
});

export type ApiKeyChange = z.infer<typeof ApiKeyChange>;

export const NewApiKey = z
  .strictObject({
    ...apiKeyChanges,
    name: recordName,
    status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  })
  .meta({ id: 'NewApiKey' });

export type NewApiKey = z.infer<typeof NewApiKey>;

/** Bounds of the overlap, in which both secrets of a rotated key are valid. */
export const overlapSeconds = { min: 1, max: 2_592_000, default: 86_400 } as const;

export const Rotation = z
  .strictObject({
    overlap_seconds: z
      .number()
      .int()
      .min(overlapSeconds.min)
      .max(overlapSeconds.max)
      .default(overlapSeconds.default)
      .describe('How long the previous secret stays valid after the rotation'),
  })
  .meta({ id: 'ApiKeyRotation' });

export type Rotation = z.infer<typeof Rotation>;

/** `secret`: only in the responses to create, reset and rotate. */
export const apiKeyRecord = (key: ApiKey, nowMs: number, secret?: string): ApiKeyRecord => ({
  object: 'api-key',
  id: key.id,
  key:
    secret === undefined
      ? publicPart(key.accountId, key.id)
      : formatApiKey({ accountId: key.accountId, keyId: key.id, secret }),
  name: key.name,
  status: shownStatus(key, nowMs),
  groups: key.groups.map((group) => group.id).sort(),
  device_groups: key.deviceGroups,
  source_addresses: key.sourceAddresses,
  ...(key.owner !== null && { owner: key.owner }),
  account_id: key.accountId,
  created_at: formatTimestamp(key.createdAt),
  creation_time: key.createdAt.getTime(),
  updated_at: formatTimestamp(key.updatedAt),
  ...(key.expiresAt !== null && { expiration: formatTimestamp(key.expiresAt) }),
  ...(key.previousUntil !== null &&
    key.previousUntil.getTime() > nowMs && { previous_secret_expires_at: formatTimestamp(key.previousUntil) }),
  ...(key.lastLoginAt !== null && { last_used_at: formatTimestamp(key.lastLoginAt) }),
  last_login_time: key.lastLoginAt?.getTime() ?? 0,
  etag: String(key.revision),
});
