import { z } from 'zod';
import { id, instant, tier } from './fields.js';
import { topic } from './topic.js';

const secretHash = z.string().regex(/^[0-9a-f]{64}$/);

export const AccessKeySchema = z
  .object({
    keyId: id,
    accountId: id,
    hash: secretHash.describe('SHA-256 of the newest secret part; never the secret'),
    previousHashes: z
      .array(z.object({ hash: secretHash, until: instant }))
      .optional()
      .describe('Earlier secrets that are still valid, each until its time: a rotation with overlap'),
    expiresAt: instant
      .optional()
      .describe('The key is not accepted from then on; its end is also announced with status inactive'),
    groups: z.array(id),
    permissions: z.array(z.string()),
    deviceGroups: z
      .array(id)
      .optional()
      .describe('The key sees and gets only devices of these device groups; absent: all devices of the account'),
    sourceAddresses: z
      .array(z.string())
      .optional()
      .describe('Networks (CIDR) that the key may be used from; absent: any'),
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
  producers: ['gateway'],
  consumers: ['device-proxy', 'dispatcher', 'event-log'],
  keyIs: 'key id',
  key: (v) => v.keyId,
  description: 'An API key was created, changed, reset or deleted.',
  schema: AccessKeySchema,
});

/** How many recent values of a resource the snapshot keeps, and for how long, if the account does not set it. */
export const valueHistoryDefault = { hours: 24, values: 1_000 } as const;

/** The most that an account may set. */
export const valueHistoryMax = { hours: 744, values: 10_000 } as const;

export const ValueHistorySchema = z.object({
  hours: z.number().int().min(0).max(valueHistoryMax.hours).describe('0: off'),
  values: z
    .number()
    .int()
    .min(0)
    .max(valueHistoryMax.values)
    .describe('Number of values that are kept of each resource, the newest ones'),
});

export type ValueHistory = z.infer<typeof ValueHistorySchema>;

export const AccessAccountSchema = z
  .object({
    accountId: id,
    tier,
    status: z.enum(['active', 'suspended']),
    autoCreateDevices: z.boolean().describe('Whether the first contact of an unknown endpoint creates its device'),
    devicesMax: z.number().int().nonnegative().optional().describe('Quota of devices; absent: none'),
    presubscriptionsNoContent: z
      .boolean()
      .optional()
      .describe('PUT /v2/subscriptions answers 204 instead of 202; absent: it does not'),
    valueHistory: ValueHistorySchema.optional().describe('Absent: 24 hours and 1,000 values'),
    changedAt: instant,
  })
  .meta({ id: 'AccessAccountChanged' });

export type AccessAccountChanged = z.infer<typeof AccessAccountSchema>;

export const AccessAccounts = topic<AccessAccountChanged>({
  name: 'access.accounts',
  kind: 'state',
  producers: ['gateway'],
  consumers: ['device-proxy', 'registry', 'snapshot'],
  keyIs: 'account id',
  key: (v) => v.accountId,
  description: 'An account was created or changed.',
  schema: AccessAccountSchema,
});
