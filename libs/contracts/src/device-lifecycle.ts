import { z } from 'zod';
import { id, instant } from './fields.js';
import { topic } from './topic.js';

/** ACK_TIMEOUT that an operator may set: RFC 7252 §4.8.1 asks for at least a second, narrow-band radios need ten. */
export const ackTimeoutMs = { min: 1_000, max: 60_000 } as const;

/** First retransmission of a handshake: a second by RFC 6347 §4.2.4.1, nine over slow radios by RFC 7925 §11. */
export const handshakeTimerMs = { min: 1_000, max: 60_000 } as const;

/** RFC 7959 §2.2. */
export const blockSizes = [16, 32, 64, 128, 256, 512, 1_024] as const;

/** Spec §2.3. */
export const suspensionCategories = ['maintenance', 'lost_or_stolen', 'recalled', 'security_breach', 'other'] as const;

export const DeviceLifecycleSchema = z
  .object({
    deviceId: id,
    accountId: id,
    change: z.enum(['created', 'changed', 'suspended', 'resumed', 'deleted']),
    endpointName: z.string().max(255).describe('Empty when the directory entry has none'),
    endpointType: z.string().max(255).optional(),
    lifecycleStatus: z.enum(['enabled', 'blocked']),
    ackTimeoutMs: z
      .number()
      .int()
      .min(ackTimeoutMs.min)
      .max(ackTimeoutMs.max)
      .optional()
      .describe('ACK_TIMEOUT of messages to the device over UDP and DTLS; absent: that of the listener'),
    blockBytes: z
      .literal(blockSizes)
      .optional()
      .describe('Size of blocks to the device over UDP and DTLS; absent: that of the listener'),
    handshakeTimerMs: z
      .number()
      .int()
      .min(handshakeTimerMs.min)
      .max(handshakeTimerMs.max)
      .optional()
      .describe('First retransmission of a DTLS flight to the device, once it is known; absent: that of the listener'),
    hostGateway: z
      .string()
      .max(512)
      .optional()
      .describe('The id of its LwM2M gateway, or any other text that an operator wrote'),
    suspension: z
      .object({
        by: z.enum(['operator', 'system']),
        category: z.enum(suspensionCategories),
        description: z.string().max(2000).optional(),
        at: instant,
      })
      .optional()
      .describe('On suspended and resumed: the category and text given with that call'),
    actor: z
      .object({ keyId: id })
      .optional()
      .describe('The API key that asked for the change; absent when the system made it'),
    revision: z
      .number()
      .int()
      .nonnegative()
      .describe('Grows with each change of the device; 0 of an id that got no device, and is announced as deleted'),
    changedAt: instant,
  })
  .meta({ id: 'DeviceLifecycleChanged' });

export type DeviceLifecycleChanged = z.infer<typeof DeviceLifecycleSchema>;

/**
 * The place of a change among those of its device, as a number. A deletion is the last change of a device, whatever its revision: a registry that was restored from a backup counts from an
 * earlier revision on, while later ones, which it announced after the backup, are already known.
 */
export const orderOfLifecycle = ({ change, revision }: DeviceLifecycleChanged): number =>
  change === 'deleted' ? Infinity : revision;

/**
 * A device of the directory as it is now, and what changed last. The device-proxy admits devices by it; the event log
 * records suspensions from it. A deleted device is announced with `change: deleted`, then a tombstone.
 */
export const DeviceLifecycle = topic<DeviceLifecycleChanged>({
  name: 'device.lifecycle',
  kind: 'state',
  producers: ['registry'],
  consumers: ['device-proxy', 'event-log', 'snapshot', 'campaigns'],
  keyIs: 'device id',
  key: (v) => v.deviceId,
  description: 'Directory entry of a device: what admits it, and its last change.',
  schema: DeviceLifecycleSchema,
});
