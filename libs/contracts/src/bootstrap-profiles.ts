import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

const seconds = z.number().int().nonnegative().optional();
const count = z.number().int().nonnegative().optional();

/** Transports that a device may prefer, as in a binding (LwM2M 1.2 core §6.2.1). */
export const preferredTransports = ['U', 'T', 'S', 'N', 'M', 'H'] as const;

/** Further resources of the Server object. What a profile omits is not written, and the device has its own default. */
const serverSettings = {
  disableTimeoutSeconds: seconds.describe('Server object, resource 5'),
  initialRegistrationDelaySeconds: seconds.describe('Server object, resource 14'),
  bootstrapOnRegistrationFailure: z.boolean().optional().describe('Server object, resource 16'),
  communicationRetryCount: count.describe('Server object, resource 17'),
  communicationRetrySeconds: seconds.describe('Server object, resource 18'),
  communicationSequenceDelaySeconds: seconds.describe('Server object, resource 19'),
  communicationSequenceRetryCount: count.describe('Server object, resource 20'),
  preferredTransport: z.enum(preferredTransports).optional().describe('Server object, resource 22'),
  muteSend: z.boolean().optional().describe('Server object, resource 23'),
  confirmableNotifications: z.boolean().optional().describe('Server object, resource 26'),
};

export const BootstrapProfileSchema = z
  .object({
    profileId: id,
    accountId: id,
    deviceId: id.optional().describe('The device that it applies to'),
    groupId: id.optional().describe('The device group that it applies to; without either, all devices of the account'),
    serverUri: z.string().min(1).max(255).describe('URI of the LwM2M server'),
    shortServerId: z.number().int().min(1).max(65_534),
    securityMode: z
      .enum(['psk', 'raw_public_key', 'none'])
      .describe('psk, raw_public_key: each bootstrap creates a pre-shared key or a key pair for the device'),
    lifetimeSeconds: z.number().int().positive(),
    binding: z.string().min(1).max(7),
    notificationStoring: z.boolean(),
    defaultMinPeriodSeconds: z.number().int().nonnegative().optional(),
    defaultMaxPeriodSeconds: z.number().int().nonnegative().optional(),
    ...serverSettings,
    deletePaths: z.array(z.string().max(16)).max(20).describe('What is deleted on the device first'),
    changedAt: instant,
  })
  .meta({ id: 'BootstrapProfileChanged' });

export type BootstrapProfileChanged = z.infer<typeof BootstrapProfileSchema>;

/** The server account that devices get when they bootstrap. A deleted profile is a tombstone. */
export const BootstrapProfiles = topic<BootstrapProfileChanged>({
  name: 'bootstrap.profiles',
  kind: 'state',
  producers: ['registry'],
  consumers: ['device-proxy'],
  keyIs: 'profile id',
  key: (v) => v.profileId,
  description: 'What the bootstrap server writes to the devices of an account, a group, or to one device.',
  schema: BootstrapProfileSchema,
});
