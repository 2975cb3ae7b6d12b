import { formatApiKey, formatTimestamp, publicPart, recordChange } from '@lanyard/service';
import { z } from 'zod';
import type { AccessKey } from '../db/access-key.entity.js';
import type { Application } from '../db/application.entity.js';
import { expiration, statusChange, shownStatus } from './expiration.js';
import { groupIds, listOf, recordName } from './record-schemas.js';

export const ApplicationRecord = z
  .object({
    object: z.literal('application'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(['ACTIVE', 'INACTIVE']),
    groups: z.array(z.string()),
    last_used_at: z.string().optional(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'Application' });

export type ApplicationRecord = z.infer<typeof ApplicationRecord>;
export const ApplicationList = listOf(ApplicationRecord, 'ApplicationList');

export const AccessKeyRecord = z
  .object({
    object: z.literal('access-key'),
    id: z.string(),
    account_id: z.string(),
    application_id: z.string(),
    name: z.string(),
    description: z.string(),
    status: z.enum(['ACTIVE', 'INACTIVE', 'EXPIRED']),
    expiration: z.string().optional().describe('Requests with the key are rejected from this time on'),
    key: z.string().describe('The whole key only in the response to create; otherwise without its secret part'),
    last_used_at: z.string().optional(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'AccessKey' });

export type AccessKeyRecord = z.infer<typeof AccessKeyRecord>;
export const AccessKeyList = listOf(AccessKeyRecord, 'AccessKeyList');

const name = recordName;
const description = z.string().max(500).nullable().optional();
const status = z.enum(['ACTIVE', 'INACTIVE']).optional();

export const NewApplication = z
  .strictObject({ name, description, status, groups: groupIds.optional() })
  .meta({ id: 'NewApplication' });
export type NewApplication = z.infer<typeof NewApplication>;

export const applicationChanges = { ...NewApplication.shape, name: name.optional() };

export const ApplicationChange = recordChange(ApplicationRecord, applicationChanges).meta({
  id: 'ApplicationChange',
  examples: [{ name: 'meter-backend' }],
});
export type ApplicationChange = z.infer<typeof ApplicationChange>;

export const NewAccessKey = z.strictObject({ name, description, status, expiration }).meta({ id: 'NewAccessKey' });
export type NewAccessKey = z.infer<typeof NewAccessKey>;

export const accessKeyChanges = { ...NewAccessKey.shape, name: name.optional(), status: statusChange };

export const AccessKeyChange = recordChange(AccessKeyRecord, accessKeyChanges).meta({
  id: 'AccessKeyChange',
  examples: [{ name: 'meter-backend' }],
});
export type AccessKeyChange = z.infer<typeof AccessKeyChange>;

export const applicationRecord = (application: Application): ApplicationRecord => ({
  object: 'application',
  id: application.id,
  account_id: application.accountId,
  name: application.name,
  description: application.description,
  status: application.status === 'active' ? 'ACTIVE' : 'INACTIVE',
  groups: application.groups.map((group) => group.id).sort(),
  ...(application.lastUsedAt !== null && { last_used_at: formatTimestamp(application.lastUsedAt) }),
  created_at: formatTimestamp(application.createdAt),
  updated_at: formatTimestamp(application.updatedAt),
  etag: String(application.revision),
});

/** `secret`: only in the response to create. */
export const accessKeyRecord = (key: AccessKey, nowMs: number, secret?: string): AccessKeyRecord => ({
  object: 'access-key',
  id: key.id,
  account_id: key.accountId,
  application_id: key.applicationId,
  name: key.name,
  description: key.description,
  status: shownStatus(key, nowMs),
  ...(key.expiresAt !== null && { expiration: formatTimestamp(key.expiresAt) }),
  key:
    secret === undefined
      ? publicPart(key.accountId, key.applicationId, 'ak_2')
      : formatApiKey({ prefix: 'ak_2', accountId: key.accountId, keyId: key.applicationId, secret }),
  ...(key.lastUsedAt !== null && { last_used_at: formatTimestamp(key.lastUsedAt) }),
  created_at: formatTimestamp(key.createdAt),
  updated_at: formatTimestamp(key.updatedAt),
  etag: String(key.revision),
});
