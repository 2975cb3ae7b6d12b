import { z } from 'zod';
import { grantable, installation } from '../permissions.js';

export const SessionRecord = z
  .object({
    object: z.literal('session'),
    account_id: z.string(),
    account_name: z.string(),
    signed_in_with: z.enum(['api_key', 'oidc']),
    subject: z.object({ type: z.enum(['api-key', 'application', 'user']), id: z.string(), name: z.string() }),
    permissions: z
      .array(z.enum([...grantable, installation]))
      .describe('What the caller may do now; `devices` includes its parts'),
    device_groups: z
      .array(z.string())
      .nullable()
      .describe('Ids of the device groups that the caller is limited to; null: all devices of the account'),
    expires_at: z
      .string()
      .nullable()
      .describe('When the session ends at the latest; of a caller with a key, when the key expires; null: never'),
  })
  .meta({ id: 'Session' });

export type SessionRecord = z.infer<typeof SessionRecord>;

export const SignIn = z
  .strictObject({ api_key: z.string().min(1).max(200).describe('The whole key') })
  .meta({ id: 'SignIn', examples: [{ api_key: 'ak_1…' }] });

export type SignIn = z.infer<typeof SignIn>;
