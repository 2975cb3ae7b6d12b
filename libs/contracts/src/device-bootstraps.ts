import { z } from 'zod';
import { id, instant, sha256 } from './fields.js';
import { topic } from './topic.js';

export const bootstrapFailures = [
  'refused',
  'no-answer',
  'connection-lost',
  'unusable-answer',
  'superseded',
  'stopped',
  'expired',
] as const;

export type BootstrapFailure = (typeof bootstrapFailures)[number];

export const DeviceBootstrapSchema = z
  .object({
    bootstrapId: id.describe('Also the id of the credential that is created for it'),
    deviceId: id,
    accountId: id,
    change: z.enum(['started', 'bootstrapped', 'failed']),
    profileId: id.optional().describe('Of started: the profile that applies'),
    interface: z.enum(['bs', 'bspack']).optional().describe('Of started: what the device asked for'),
    credential: z
      .enum(['psk', 'raw_public_key'])
      .optional()
      .describe(
        'Of started: the registry creates a pre-shared key, or stores the raw public key with this fingerprint; if absent, neither',
      ),
    fingerprint: sha256
      .optional()
      .describe('Of started, for raw_public_key: SHA-256 of the SubjectPublicKeyInfo of the new key pair'),
    serverUri: z.string().max(255).optional().describe('Of started: URI of the LwM2M server of the profile'),
    shortServerId: z.number().int().min(1).max(65_534).optional().describe('Of started'),
    address: z.string().optional().describe('Of started: where the device asked from'),
    failure: z.enum(bootstrapFailures).optional().describe('Of failed'),
    detail: z.string().max(256).optional().describe('Of failed: the request, and the answer of the device to it'),
    occurredAt: instant,
  })
  .superRefine(({ change, profileId, failure, credential, fingerprint }, context) => {
    if (change === 'started' && profileId === undefined)
      context.addIssue({ code: 'custom', path: ['profileId'], message: 'started needs it' });
    if (change === 'failed' && failure === undefined)
      context.addIssue({ code: 'custom', path: ['failure'], message: 'failed needs it' });
    if (credential === 'raw_public_key' && fingerprint === undefined)
      context.addIssue({ code: 'custom', path: ['fingerprint'], message: 'raw_public_key needs it' });
  })
  .meta({ id: 'DeviceBootstrapChanged' });

export type DeviceBootstrapChanged = z.infer<typeof DeviceBootstrapSchema>;

/**
 * How far the bootstrap of a device is. On `started` the registry creates the pre-shared key, or stores the fingerprint of
 * the raw public key, and announces it as provisional on device.credentials: the device gets it after that. `bootstrapped`
 * confirms it, `failed` withdraws it; whichever comes first in the topic counts. A bootstrap that ends with neither is
 * failed by the registry itself.
 */
export const DeviceBootstraps = topic<DeviceBootstrapChanged>({
  name: 'device.bootstraps',
  kind: 'fact',
  producers: ['device-proxy', 'registry'],
  consumers: ['registry'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'A bootstrap of a device started, succeeded or failed.',
  schema: DeviceBootstrapSchema,
});
