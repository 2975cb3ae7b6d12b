import { ackTimeoutMs, blockSizes, endpointNameMax, handshakeTimerMs } from '@lanyard/contracts';
import { attributeValue, recordChange } from '@lanyard/service';
import { z } from 'zod';
import { Device } from './device-record.js';

/** Limits of fields, in characters. */
export const deviceLimits = {
  customAttributes: 5,
  attributeLength: 128,
  attributeKeyLength: 128,
} as const;

/** Refuses a blank name. An empty one means no name. */
export const notBlank = <T extends z.ZodString>(type: T): T => type.regex(/^$|\S/, 'Must not be blank');

const text = (max: number): z.ZodOptional<z.ZodNullable<z.ZodString>> => z.string().max(max).nullable().optional();

const entriesIn = (value: unknown): number => {
  const isRecord = typeof value === 'object' && value !== null && !Array.isArray(value);
  return isRecord ? Object.keys(value).length : 0;
};

/** Keys start with a letter or an underscore: SDKs rewrite capitals to `_a`. */
export const attributes = (
  entriesMax: number,
): z.ZodType<Record<string, string>, Record<string, string | number | boolean>> =>
  z.preprocess(
    (value: Record<string, string | number | boolean>, context) => {
      // Before the entries are checked: an answer names each that is wrong, and a body may have tens of thousands.
      if (entriesIn(value) > entriesMax) context.addIssue({ code: 'custom', message: `At most ${entriesMax} entries` });
      return value;
    },
    z.record(
      z
        .string()
        .max(deviceLimits.attributeKeyLength)
        .regex(/^[A-Za-z_]/, 'Must start with a letter'),
      attributeValue(deviceLimits.attributeLength),
    ),
  );

export const changeable = {
  auto_update: z.boolean().nullable().optional(),
  ca_id: text(500),
  coap_ack_timeout_ms: z
    .number()
    .int()
    .min(ackTimeoutMs.min)
    .max(ackTimeoutMs.max)
    .nullable()
    .optional()
    .describe(
      'ACK_TIMEOUT (RFC 7252 §4.8) of messages to the device over UDP and DTLS, in ms, for a device on a slow radio. null: that of the listener',
    ),
  coap_block_bytes: z
    .literal(blockSizes)
    .nullable()
    .optional()
    .describe(
      'Size of the blocks that are sent to the device over UDP and DTLS (RFC 7959 §2.2). null: that of the listener',
    ),
  custom_attributes: attributes(deviceLimits.customAttributes).nullable().optional(),
  description: text(2000),
  device_key: text(512),
  dtls_handshake_timer_ms: z
    .number()
    .int()
    .min(handshakeTimerMs.min)
    .max(handshakeTimerMs.max)
    .nullable()
    .optional()
    .describe(
      'First retransmission of a DTLS handshake (RFC 6347 §4.2.4.1), in ms, for a device on a slow radio. It applies to a resumption from its beginning. In a full handshake the device is not known before it has answered the first flight, to which the setting of the listener applies. null: that of the listener',
    ),
  endpoint_name: notBlank(z.string().min(1).max(endpointNameMax)).nullable().optional(),
  endpoint_type: text(endpointNameMax),
  host_gateway: text(512).describe(
    'The id of the LwM2M gateway (object 25) that the device is behind. Set when the device first registers through it; only this LwM2M gateway may then register it',
  ),
  name: notBlank(z.string().max(128)).nullable().optional(),
};

export const mechanisms = ['connector', 'direct'] as const;
export const executionModes = [0, 1, 5] as const;
export const deviceStates = ['unenrolled', 'cloud_enrolling', 'bootstrapped', 'registered', 'deregistered'] as const;

export const DeviceChanges = recordChange(Device, changeable).meta({
  id: 'DeviceChanges',
  examples: [{ description: 'North hall' }],
});
export type DeviceChanges = z.infer<typeof DeviceChanges>;

/** PostgreSQL has no year 0. With a second pattern, the OpenAPI document would refuse null. */
const calendarDate = z.iso.date().refine((day) => !day.startsWith('0000'), 'Must be a date of the years 0001 to 9999');

export const NewDevice = z
  .strictObject({
    ...changeable,
    device_class: text(32),
    serial_number: text(64),
    vendor_id: text(255),
    net_id: text(40),
    state: z.enum(deviceStates).optional(),
    mechanism: z.enum(mechanisms).optional(),
    mechanism_url: text(2000),
    device_execution_mode: z.literal(executionModes).optional(),
    deployment: text(128),
    manifest: text(2000),
    firmware_checksum: text(255),
    issuer_fingerprint: z
      .string()
      .regex(/^[A-Fa-f0-9]{64}$/)
      .nullable()
      .optional(),
    bootstrap_expiration_date: calendarDate.nullable().optional(),
    connector_expiration_date: calendarDate.nullable().optional(),
  })
  .meta({ id: 'NewDevice', examples: [{ endpoint_name: 'thermo-1', endpoint_type: 'thermometer' }] });
export type NewDevice = z.infer<typeof NewDevice>;

/** Columns of an import and of an export: the fields of a new device. */
export const importColumns = Object.keys(NewDevice.shape);
