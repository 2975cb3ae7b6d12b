import { valueHistoryDefault, valueHistoryMax, ValueHistorySchema } from '@lanyard/contracts';
import { attributeValue, formatTimestamp, ignored, recordChange } from '@lanyard/service';
import { z } from 'zod';
import type { Account, AccountProfile } from '../db/account.entity.js';
import { listOf } from './record-schemas.js';

const text = z.string().max(255);

/** Bounds the size of the list of accounts: one page contains the custom fields of up to 1,000 accounts. */
export const customFieldsMax = 20;

const profile = {
  contact: text,
  phone_number: z.string().max(100),
  address_line1: text,
  address_line2: text,
  city: text,
  state: text,
  postal_code: z.string().max(100),
  country: text,
  notification_emails: z.array(z.string().max(254)).max(100),
  custom_fields: z
    .record(z.string().max(100), attributeValue(1_000))
    .refine((given) => Object.keys(given).length <= customFieldsMax, `At most ${customFieldsMax} entries`),
};

const fields = {
  object: z.literal('account'),
  id: z.string(),
  parent_id: z.string().optional().describe('The account of the installation; absent on that account itself'),
  status: z.enum(['ACTIVE', 'SUSPENDED']),
  tier: z.enum(['0', '1']).describe('0 free, 1 commercial'),
  end_market: z.string(),
  display_name: z.string(),
  email: z.string().optional(),
  company: z.string().optional(),
  ...z.object({ ...profile, custom_fields: z.record(z.string(), z.string()) }).partial().shape,
  aliases: z.array(z.string()),
  limits: z
    .record(z.string(), z.string())
    .describe('Quotas that are set, of devices, api_keys, applications, requests_per_second'),
  policies: z.array(z.object({ feature: z.string(), allow: z.boolean() })),
  auto_create_devices: z.boolean().describe('Whether the first contact of an unknown endpoint creates its device'),
  presubscriptions_no_content: z
    .boolean()
    .describe('PUT /v2/subscriptions answers 204 instead of 202, as some clients of the original service expect'),
  value_history: ValueHistorySchema.describe('How much the snapshot keeps of the recent values of each resource'),
  created_at: z.string(),
  updated_at: z.string(),
  etag: z.string(),
};

export const AccountRecord = z.object(fields).meta({ id: 'Account' });
export type AccountRecord = z.infer<typeof AccountRecord>;

export const CreatedAccountRecord = z
  .object({
    ...fields,
    admin_key: z.string().describe('The whole first administrator key; only this response contains it'),
    admin_key_id: z.string(),
  })
  .meta({ id: 'CreatedAccount' });
export type CreatedAccountRecord = z.infer<typeof CreatedAccountRecord>;

export const AccountList = listOf(AccountRecord, 'AccountList');

/** Clients that echo a record send numbers as text. */
const numberOf = (value: unknown): unknown =>
  typeof value === 'string' && /^\d{1,10}$/.test(value) ? Number(value) : value;
const quota = (min: number): z.ZodOptional<z.ZodNullable<z.ZodPreprocess<z.ZodNumber>>> =>
  z.preprocess(numberOf, z.number().int().min(min).max(1_000_000_000)).nullable().optional();

const Limits = z
  .strictObject({ devices: quota(0), api_keys: quota(1), applications: quota(0), requests_per_second: quota(1) })
  .describe('Quotas; null removes one, omitted ones keep their value');

const ValueHistoryChange = z
  .strictObject({
    hours: z.number().int().min(0).max(valueHistoryMax.hours).optional().describe('0 keeps nothing'),
    values: z.number().int().min(1).max(valueHistoryMax.values).optional(),
  })
  .describe(
    `Omitted members keep their value; null is the default: ${valueHistoryDefault.hours} hours and ${valueHistoryDefault.values} values. Only administrators of the installation may raise it beyond that`,
  );

/** null removes a value. */
const profileChanges = Object.fromEntries(Object.entries(profile).map(([name, type]) => [name, type.nullish()])) as {
  [Name in keyof typeof profile]: z.ZodOptional<z.ZodNullable<(typeof profile)[Name]>>;
};

const common = {
  display_name: z.string().trim().min(1).max(128).optional(),
  email: z.string().max(254).nullable().optional(),
  company: z.string().max(255).nullable().optional(),
  ...profileChanges,
  tier: z.enum(['0', '1']).optional(),
  auto_create_devices: z.boolean().optional(),
  presubscriptions_no_content: z.boolean().optional(),
  limits: Limits.optional(),
  value_history: ValueHistoryChange.nullable().optional(),
};

/** Fields of the first user, which other services create together with the account. */
const administrator = ['admin_name', 'admin_full_name', 'admin_email', 'admin_password'];

export const accountChanges = { ...common, status: z.enum(['ACTIVE', 'SUSPENDED']).optional() };

export const AccountChange = recordChange(AccountRecord, accountChanges).meta({
  id: 'AccountChange',
  examples: [{ display_name: 'Example' }],
});
export type AccountChange = z.infer<typeof AccountChange>;

export const NewAccount = z
  .strictObject({
    ...common,
    display_name: z.string().trim().min(1).max(128),
    end_market: ignored(z.string(), 'accounts have no market'),
    aliases: ignored(z.array(z.string()), 'accounts have no aliases'),
    ...Object.fromEntries(
      administrator.map((name) => [name, ignored(z.string(), 'a new account has no users; see `admin_key`')]),
    ),
  })
  .meta({ id: 'NewAccount' });
export type NewAccount = z.infer<typeof NewAccount>;

const use = z.object({ used: z.number().int(), limit: z.number().int().nullable().describe('null: none') });

export const AccountUsage = z
  .object({
    object: z.literal('account-usage'),
    account_id: z.string(),
    devices: use,
    device_groups: use,
    api_keys: use,
    applications: use,
    key_groups: use,
    requests_per_second: z
      .object({ limit: z.number().int().describe('For all keys of the account together') })
      .describe('Has no `used`: the limit is enforced, but usage is not reported'),
    created_at: z.string().describe('When the usage was counted'),
  })
  .meta({ id: 'AccountUsage' });
export type AccountUsage = z.infer<typeof AccountUsage>;

/** Given values replace stored ones; null removes them. */
export const changedProfile = (before: AccountProfile, wanted: AccountChange): AccountProfile => {
  const given = z.object(profileChanges).parse(wanted);
  return Object.fromEntries(
    Object.entries({ ...before, ...given }).filter(([, value]) => value !== null && value !== undefined),
  ) as AccountProfile;
};

export const changedHistory = (
  before: Account['valueHistory'],
  wanted: AccountChange['value_history'],
): Account['valueHistory'] => {
  if (wanted === undefined) return before;
  return wanted === null
    ? null
    : {
        hours: wanted.hours ?? before?.hours ?? valueHistoryDefault.hours,
        values: wanted.values ?? before?.values ?? valueHistoryDefault.values,
      };
};

/** Whether more is kept than by default, and more than before. */
export const isLongerHistory = (now: Account['valueHistory'], before: Account['valueHistory']): boolean =>
  (['hours', 'values'] as const).some(
    (bound) => (now?.[bound] ?? 0) > Math.max(valueHistoryDefault[bound], before?.[bound] ?? 0),
  );

export const tierOf = (text: '0' | '1'): Account['tier'] => (text === '0' ? 'free' : 'commercial');

export const accountRecord = (account: Account): AccountRecord => ({
  object: 'account',
  id: account.id,
  ...(account.parentId !== null && { parent_id: account.parentId }),
  status: account.status === 'active' ? 'ACTIVE' : 'SUSPENDED',
  tier: account.tier === 'free' ? '0' : '1',
  end_market: '',
  display_name: account.displayName,
  ...(account.email !== null && { email: account.email }),
  ...(account.company !== null && { company: account.company }),
  ...account.profile,
  aliases: [],
  limits: Object.fromEntries(Object.entries(account.limits).map(([name, value]) => [name, String(value)])),
  policies: [],
  auto_create_devices: account.autoCreateDevices,
  presubscriptions_no_content: account.presubscriptionsNoContent,
  value_history: account.valueHistory ?? valueHistoryDefault,
  created_at: formatTimestamp(account.createdAt),
  updated_at: formatTimestamp(account.updatedAt),
  etag: String(account.revision),
});
