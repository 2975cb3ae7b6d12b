import { formatApiKey, formatTimestamp, publicPart } from '@lanyard/service';
import { z } from 'zod';
import type { ApiKey } from './api-key.entity.js';

export const ApiKeySchema = z
  .object({
    object: z.literal('api-key'),
    id: z.string(),
    key: z.string().describe('In full only in the answers to create and reset-secret; else without the secret part'),
    name: z.string(),
    status: z.enum(['ACTIVE', 'INACTIVE']),
    groups: z.array(z.string()),
    owner: z.string().optional(),
    account_id: z.string(),
    created_at: z.string(),
    creation_time: z.number().describe('Milliseconds since the epoch'),
    updated_at: z.string(),
    last_login_time: z.number().describe('Milliseconds since the epoch; 0: never used'),
    etag: z.string(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyRecord = z.infer<typeof ApiKeySchema>;

export const ApiKeyListSchema = z
  .object({
    object: z.literal('list'),
    data: z.array(ApiKeySchema),
    limit: z.number().int(),
    after: z.string().nullable(),
    order: z.enum(['ASC', 'DESC']),
    has_more: z.boolean(),
    total_count: z.number().int(),
  })
  .meta({ id: 'ApiKeyList' });

const groupId = z.string().regex(/^[0-9a-f]{32}$/, 'Must be 32 lower-case hex characters');

export const GroupIdsSchema = z.array(groupId).min(1).max(100).meta({ id: 'KeyGroupIds' });

export const ApiKeyChangeSchema = z
  .object({
    name: z.string().trim().min(1).max(100).optional(),
    groups: z.array(groupId).max(100).optional(),
    owner: z.string().max(64).nullable().optional(),
    status: z.enum(['ACTIVE', 'INACTIVE']).optional(),
  })
  .meta({ id: 'ApiKeyChange' });

export type ApiKeyChange = z.infer<typeof ApiKeyChangeSchema>;

export const NewApiKeySchema = ApiKeyChangeSchema.extend({
  name: z.string().trim().min(1).max(100),
}).meta({ id: 'NewApiKey' });

export type NewApiKey = z.infer<typeof NewApiKeySchema>;

/** `secret`: only for the answers to create and reset. */
export const apiKeyRecord = (key: ApiKey, secret?: string): ApiKeyRecord => ({
  object: 'api-key',
  id: key.id,
  key:
    secret === undefined
      ? publicPart(key.accountId, key.id)
      : formatApiKey({ accountId: key.accountId, keyId: key.id, secret }),
  name: key.name,
  status: key.status === 'active' ? 'ACTIVE' : 'INACTIVE',
  groups: key.groups.map((group) => group.id).sort(),
  ...(key.owner !== null && { owner: key.owner }),
  account_id: key.accountId,
  created_at: formatTimestamp(key.createdAt),
  creation_time: key.createdAt.getTime(),
  updated_at: formatTimestamp(key.updatedAt),
  last_login_time: key.lastLoginAt?.getTime() ?? 0,
  etag: String(key.revision),
});
