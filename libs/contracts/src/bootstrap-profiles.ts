import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

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
