import { formatTimestamp, recordChange } from '@lanyard/service';
import { z } from 'zod';
import type { User } from '../db/user.entity.js';
import { listOf } from './record-schemas.js';

export const UserRecord = z
  .object({
    object: z.literal('user'),
    id: z.string(),
    account_id: z.string(),
    name: z.string(),
    email: z.string().nullable(),
    issuer: z.string().describe('The OpenID provider'),
    subject: z.string().describe('How the provider identifies the person'),
    groups: z.array(z.string()).describe('Key groups, from the roles at the last sign-in or renewal'),
    status: z.enum(['ACTIVE', 'INACTIVE']),
    last_used_at: z.string().optional(),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'User' });

export type UserRecord = z.infer<typeof UserRecord>;
export const UserList = listOf(UserRecord, 'UserList');

export const userChanges = {
  status: z.enum(['ACTIVE', 'INACTIVE']).optional().describe('INACTIVE: all sessions end, and the user cannot sign in'),
};

export const UserChange = recordChange(UserRecord, userChanges).meta({
  id: 'UserChange',
  examples: [{ status: 'INACTIVE' }],
});
export type UserChange = z.infer<typeof UserChange>;

export const userRecord = (user: User): UserRecord => ({
  object: 'user',
  id: user.id,
  account_id: user.accountId,
  name: user.name,
  email: user.email,
  issuer: user.issuer,
  subject: user.subject,
  groups: user.groups.map((group) => group.id).sort(),
  status: user.status === 'active' ? 'ACTIVE' : 'INACTIVE',
  ...(user.lastUsedAt !== null && { last_used_at: formatTimestamp(user.lastUsedAt) }),
  created_at: formatTimestamp(user.createdAt),
  updated_at: formatTimestamp(user.updatedAt),
  etag: String(user.revision),
});
