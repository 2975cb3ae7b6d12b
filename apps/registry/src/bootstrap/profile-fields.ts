import { preferredTransports } from '@lanyard/contracts';
import { recordChange } from '@lanyard/service';
import { z } from 'zod';
import { notBlank } from '../devices/device-fields.js';

/** Every device-proxy has all profiles in memory. */
export const profilesPerAccountMax = 1_000;

/** Short server ids of LwM2M servers: 0 and 65535 are reserved (LwM2M 1.1 core, appendix E.1). */
const shortServerId = { min: 1, max: 65_534 } as const;

/** Largest TLV integer of 32 bits, which every device can read. */
const secondsMax = 2_147_483_647;

const countMax = 255;
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

const isDeletePath = (text: string): boolean =>
  /^\/(?:(?:0|[1-9]\d{0,4})(?:\/(?:0|[1-9]\d{0,4}))?)?$/.test(text) &&
  text.split('/').every((part) => Number(part) <= 65_534);

const period = (meaning: string): z.ZodType<number | null | undefined> =>
  z.number().int().min(0).max(secondsMax).nullish().describe(`${meaning}, in seconds (resource of the Server object)`);

const count = (meaning: string): z.ZodType<number | null | undefined> =>
  z.number().int().min(0).max(countMax).nullish().describe(`${meaning} (resource of the Server object)`);

const flag = (meaning: string): z.ZodType<boolean | null | undefined> =>
  z.boolean().nullish().describe(`${meaning} (resource of the Server object)`);

/** Resources that a device may lack. null: not written, so that the device has its own default. */
const serverSettings = {
  disable_timeout_seconds: period('How long the device stays away when it is disabled (`/1/x/4`)'),
  initial_registration_delay_seconds: period('How long the device waits before it registers for the first time'),
  bootstrap_on_registration_failure: flag('Whether the device bootstraps again when it cannot register'),
  communication_retry_count: count('Attempts to register in one sequence'),
  communication_retry_seconds: period('Pause after the first attempt of a sequence, which doubles with each'),
  communication_sequence_delay_seconds: period('Pause between two sequences'),
  communication_sequence_retry_count: count('Sequences before the device gives up'),
  preferred_transport: z
    .enum(preferredTransports)
    .nullish()
    .describe('The transport of the binding that the device uses if it can (resource of the Server object)'),
  mute_send: flag('Whether the device must not use Send'),
  confirmable_notifications: flag(
    'Whether notifications are confirmable unless an observation has the attribute `con`; LwM2M 1.2',
  ),
};

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
  ...serverSettings,
  delete_paths: z
    .array(z.string().refine(isDeletePath, 'Must be /, an object, or an object instance'))
    .max(deletePathsMax)
    .describe(
      'Objects and instances that are deleted on the device before its LwM2M server account is written, or `/` for everything. The bootstrap server account is kept',
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
  ...serverSettings,
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
        'The profile of a device takes precedence over those of its groups, and these over that of the account',
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
    disable_timeout_seconds: z.number().int().nullable(),
    initial_registration_delay_seconds: z.number().int().nullable(),
    bootstrap_on_registration_failure: z.boolean().nullable(),
    communication_retry_count: z.number().int().nullable(),
    communication_retry_seconds: z.number().int().nullable(),
    communication_sequence_delay_seconds: z.number().int().nullable(),
    communication_sequence_retry_count: z.number().int().nullable(),
    preferred_transport: z.enum(preferredTransports).nullable(),
    mute_send: z.boolean().nullable(),
    confirmable_notifications: z.boolean().nullable(),
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
