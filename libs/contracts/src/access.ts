import { z } from 'zod';
import { id, instant, tier } from './fields.js';
import { topic } from './topic.js';

/** Permission of a key to have a notification channel. */
export const notificationsPermission = 'notifications';

export const AccessKeySchema = z
  .object({
    keyId: id,
    accountId: id,
    hash: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .describe('SHA-256 of the secret part; never the secret'),
    groups: z.array(id),
    permissions: z.array(z.string()),
    tier,
    status: z.enum(['active', 'inactive', 'deleted']),
    revision: z.number().int().nonnegative(),
    changedAt: instant,
  })
  .meta({ id: 'AccessKeyChanged' });

export type AccessKeyChanged = z.infer<typeof AccessKeySchema>;

/** An API key as it is now. A deleted key is announced with status `deleted`, and stays so. */
export const AccessKeys = topic<AccessKeyChanged>({
  name: 'access.keys',
  kind: 'state',
  version: 1,
  owner: 'gateway',
  consumers: ['device-proxy', 'dispatcher'],
  keyIs: 'key id',
  key: (v) => v.keyId,
  description: 'An API key was created, changed, reset or deleted.',
  schema: AccessKeySchema,
});

export const AccessAccountSchema = z
  .object({
    accountId: id,
    tier,
    status: z.enum(['active', 'suspended']),
    autoCreateDevices: z.boolean().describe('First contact of an unknown endpoint creates the device'),
    changedAt: instant,
  })
  .meta({ id: 'AccessAccountChanged' });

export type AccessAccountChanged = z.infer<typeof AccessAccountSchema>;

/** An account as it is now. */
export const AccessAccounts = topic<AccessAccountChanged>({
  name: 'access.accounts',
  kind: 'state',
  version: 1,
  owner: 'gateway',
  consumers: ['device-proxy', 'dispatcher'],
  keyIs: 'account id',
  key: (v) => v.accountId,
  description: 'An account was created or changed.',
  schema: AccessAccountSchema,
});
