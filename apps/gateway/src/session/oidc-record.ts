import { z } from 'zod';
import { SessionRecord } from './session-record.js';

export const OidcOffer = z
  .object({
    object: z.literal('oidc'),
    enabled: z.boolean(),
    name: z.string().nullable().describe('Display name of the provider'),
  })
  .meta({ id: 'OidcOffer' });
export type OidcOffer = z.infer<typeof OidcOffer>;

/** RFC 8628 §3.2. */
export const DeviceFlow = z
  .object({
    device_code: z.string(),
    user_code: z.string().describe('What the person types at the provider'),
    verification_uri: z.string(),
    verification_uri_complete: z.string().optional(),
    expires_in: z.number().int().describe('Seconds'),
    interval: z.number().int().describe('Seconds between two polls for the session'),
  })
  .meta({ id: 'DeviceFlow' });
export type DeviceFlow = z.infer<typeof DeviceFlow>;

export const DeviceCode = z
  .strictObject({ device_code: z.string().min(1).max(2_000) })
  .meta({ id: 'DeviceCode', examples: [{ device_code: 'GmRh…' }] });
export type DeviceCode = z.infer<typeof DeviceCode>;

export const ProgramSession = SessionRecord.extend({
  token: z.string().describe('The bearer token of the program; it is not shown again'),
}).meta({ id: 'ProgramSession' });
export type ProgramSession = z.infer<typeof ProgramSession>;
