import { formatTimestamp } from '@lanyard/service';
import { z } from 'zod';
import type { Account } from './account.entity.js';

export const AccountSchema = z
  .object({
    object: z.literal('account'),
    id: z.string(),
    status: z.enum(['ACTIVE', 'SUSPENDED']),
    tier: z.enum(['0', '1']).describe('0 free, 1 commercial'),
    end_market: z.string(),
    display_name: z.string(),
    aliases: z.array(z.string()),
    limits: z.record(z.string(), z.string()),
    policies: z.array(z.object({ feature: z.string(), allow: z.boolean() })),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'Account' });

export type AccountRecord = z.infer<typeof AccountSchema>;

export const accountRecord = (account: Account): AccountRecord => ({
  object: 'account',
  id: account.id,
  status: account.status === 'active' ? 'ACTIVE' : 'SUSPENDED',
  tier: account.tier === 'free' ? '0' : '1',
  end_market: '',
  display_name: account.displayName,
  aliases: [],
  limits: {},
  policies: [],
  created_at: formatTimestamp(account.createdAt),
  updated_at: formatTimestamp(account.updatedAt),
  etag: String(account.revision),
});
