import { recordChange } from '@lanyard/service';
import { z } from 'zod';
import { notBlank } from '../devices/device-fields.js';

/** Every device-proxy has all profiles in memory. */
export const profilesPerAccountMax = 1_000;

/** Short server ids of LwM2M servers: 0 and 65535 are reserved (LwM2M 1.1 core, appendix E.1). */
const shortServerId = { min: 1, max: 65_534 } as const;

/** Of a TLV integer of 32 bits, which every device can read. */
const secondsMax = 2_147_483_647;

const uriMax = 255;
const deletePathsMax = 20;

const isServerUri = (text: string): boolean => {
  if (!/^coaps?(\+tcp)?:\/\/[^/?#@\s]+\/?$/.test(text) || !URL.canParse(text)) return false;
  return new URL(text).hostname !== '';
};

const serverUri = z
  .string()
  .max(uriMax)
  .refine(isServerUri, 'Must be coap://, coaps://, coap+tcp:// or coaps+tcp:// with a host and an optional port')
  .describe(
    'URI of the LwM2M server. For `coaps` and `coaps+tcp` each bootstrap creates a credential of the `credential_kind`; `coap` and `coap+tcp` are without security, for development',
  );

const isPlace = (text: string): boolean =>
  /^\/(?:(?:0|[1-9]\d{0,4})(?:\/(?:0|[1-9]\d{0,4}))?)?$/.test(text) &&
  text.split('/').every((part) => Number(part) <= 65_534);

const period = (meaning: string): z.ZodType<number | null | undefined> =>
  z.number().int().min(0).max(secondsMax).nullish().describe(`${meaning}, in seconds (resource of the Server object)`);

const fields = {
  name: notBlank(z.string().min(1).max(128)),
  description: z.string().max(1_024).nullable(),
  server_uri: serverUri,
  credential_kind: z
    .enum(['psk', 'raw_public_key'])
    .describe(
      'What each bootstrap creates if `server_uri` has security: a pre-shared key, or, for `coaps` only, a key pair whose public key becomes the credential. The device then expects the public key of the DTLS listener of this installation',
    ),
  short_server_id: z.number().int().min(shortServerId.min).max(shortServerId.max),
  lifetime_seconds: z.number().int().min(1).max(secondsMax).describe('Lifetime of registrations'),
  binding: z
    .string()
    .regex(/^(?!Q$)[UTSNMHQ]{1,7}$/, 'Letters U, T, S, N, M, H, and Q for queue mode in LwM2M 1.0')
    .refine((text) => new Set(text).size === text.length, 'Each letter may occur only once')
    .describe('Default: `T` for TCP and TLS, otherwise `U`'),
  notification_storing: z
    .boolean()
    .describe('Whether the device stores notifications while it is disabled or the server cannot be reached'),
  default_min_period_seconds: period('Default minimum period of observations'),
  default_max_period_seconds: period('Default maximum period of observations'),
  delete_paths: z
    .array(z.string().refine(isPlace, 'Must be /, an object, or an object instance'))
    .max(deletePathsMax)
    .describe(
      'Objects and instances that are deleted on the device before its account is written, or `/` for everything. The account of the bootstrap server is kept',
    ),
};

const optional = {
  description: fields.description.optional(),
  credential_kind: fields.credential_kind.default('psk'),
  short_server_id: fields.short_server_id.default(1),
  lifetime_seconds: fields.lifetime_seconds.default(86_400),
  binding: fields.binding.optional(),
  notification_storing: fields.notification_storing.default(true),
  default_min_period_seconds: fields.default_min_period_seconds,
  default_max_period_seconds: fields.default_max_period_seconds,
  delete_paths: fields.delete_paths.default(['/0', '/1']),
};

const common = { name: fields.name, server_uri: fields.server_uri, ...optional };

export const NewProfile = z
  .discriminatedUnion('scope', [
    z.strictObject({ scope: z.literal('account').describe('All devices of the account'), ...common }),
    z.strictObject({ scope: z.literal('group'), group_id: z.string().describe('Device group'), ...common }),
    z.strictObject({ scope: z.literal('device'), device_id: z.string(), ...common }),
  ])
  .meta({
    id: 'NewBootstrapProfile',
    examples: [{ scope: 'account', name: 'Production', server_uri: 'coaps://lwm2m.example.com:5684' }],
  });
export type NewProfile = z.infer<typeof NewProfile>;

export const Profile = z
  .object({
    object: z.literal('bootstrap-profile'),
    id: z.string(),
    account_id: z.string(),
    scope: z
      .enum(['account', 'group', 'device'])
      .describe(
        'The profile of a device takes precedence over that of its groups, and that over the one of the account',
      ),
    device_id: z.string().nullable(),
    group_id: z.string().nullable(),
    name: z.string(),
    description: z.string(),
    server_uri: z.string(),
    credential_kind: z.enum(['psk', 'raw_public_key']),
    security_mode: z
      .enum(['psk', 'raw_public_key', 'none'])
      .describe('Determined by `server_uri` and `credential_kind`: what devices get, or `none` without security'),
    short_server_id: z.number().int(),
    lifetime_seconds: z.number().int(),
    binding: z.string(),
    notification_storing: z.boolean(),
    default_min_period_seconds: z.number().int().nullable(),
    default_max_period_seconds: z.number().int().nullable(),
    delete_paths: z.array(z.string()),
    created_at: z.string(),
    updated_at: z.string(),
    etag: z.string(),
  })
  .meta({ id: 'BootstrapProfile' });
export type Profile = z.infer<typeof Profile>;

export const changeable = z.object(fields).partial().shape;

export const ProfileChanges = recordChange(Profile, changeable).meta({
  id: 'BootstrapProfileChanges',
  examples: [{ lifetime_seconds: 3600 }],
});
export type ProfileChanges = z.infer<typeof ProfileChanges>;
