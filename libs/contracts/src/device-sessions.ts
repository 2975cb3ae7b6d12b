import { z } from 'zod';
import { endpointName, id, instant, objectVersions } from './fields.js';
import { type Category, topic } from './topic.js';

/** One resource in a registration item (spec §6.1). */
export const RegisteredResourceSchema = z.object({
  path: z.string(),
  rt: z.string().optional(),
  if: z.string().optional(),
  ct: z.string().optional(),
  obs: z.boolean(),
});

export const RegistrationItemSchema = z.object({
  ep: id,
  ept: z.string().optional(),
  q: z.boolean().optional(),
  resources: z.array(RegisteredResourceSchema).optional(),
});

export const DeviceSessionSchema = z
  .object({
    item: RegistrationItemSchema.describe('What channels receive; only `ep` when the session ended'),
    change: z.enum(['registered', 'updated', 'deregistered', 'expired']),
    deviceId: id,
    accountId: id,
    endpointName,
    endpointType: z.string().optional(),
    sessionId: z.string().min(1).describe('Registration id: the last segment of the Location of the registration'),
    epoch: z.number().int().nonnegative().describe('Grows with each registration of the device and each take-over'),
    reason: z
      .enum(['device', 'lifetime', 'suspended', 'deleted', 'replaced', 'credential-withdrawn', 'gateway'])
      .optional(),
    lifetimeSeconds: z.number().int().positive().optional(),
    lwm2mVersion: z.string().optional(),
    objectVersions: objectVersions.optional(),
    binding: z.string().optional(),
    queueMode: z.boolean().optional(),
    awakeMs: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('Of a device in queue mode: how long it listens after its last message'),
    address: z.string().optional(),
    remoteAddress: z
      .string()
      .optional()
      .describe('IP address and port that a device over DTLS was last heard from; its address is its connection'),
    hostGateway: id.optional().describe('Its LwM2M gateway, to which address and transport belong'),
    transport: z
      .enum(['coap', 'coaps', 'coap+tcp', 'coaps+tcp'])
      .optional()
      .describe('Of registered and updated: the URI scheme by which the device is connected'),
    firstContact: z.boolean().describe('The device came into the directory with this registration'),
    occurredAt: instant,
  })
  .meta({ id: 'DeviceSessionChanged' });

export type DeviceSessionChanged = z.infer<typeof DeviceSessionSchema>;

const categoryOf: Record<DeviceSessionChanged['change'], Category> = {
  registered: 'registrations',
  updated: 'reg-updates',
  deregistered: 'de-registrations',
  expired: 'registrations-expired',
};

/**
 * What happened to a device's LwM2M session, in order. Produced before the device gets its answer. May repeat after a
 * crash of the proxy: a repeated end has the same id and time. A consumer that keeps state drops facts with a lower epoch than
 * it has seen.
 */
export const DeviceSessions = topic<DeviceSessionChanged>({
  name: 'device.sessions',
  kind: 'fact',
  producers: ['device-proxy'],
  consumers: ['registry', 'snapshot', 'event-log', 'dispatcher', 'campaigns'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'A device registered, updated its registration, deregistered, or its registration expired.',
  schema: DeviceSessionSchema,
  delivery: ({ change, accountId, endpointName }) => ({
    category: categoryOf[change],
    accountId,
    audience: '*',
    endpointName,
  }),
});
