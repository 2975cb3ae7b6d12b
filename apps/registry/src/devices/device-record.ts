import { isoTime, type JsonMember, jsonRecord } from '@lanyard/service';
import { z } from 'zod';

const optional = z.string().nullable();

/** The device record (spec §2.2). */
export const Device = z
  .object({
    object: z.literal('device'),
    id: z.string(),
    account_id: z.string(),
    etag: z.string().describe('Version of the record; changes with `updated_at`'),
    created_at: z.string(),
    updated_at: z
      .string()
      .describe(
        'When an operator or the system last changed the record. What the device itself reports (`state`, `bootstrapped_timestamp`, an `endpoint_type` that was not set) and its `groups` do not affect it',
      ),
    name: optional,
    description: z.string(),
    endpoint_name: optional,
    endpoint_type: optional,
    device_class: optional,
    device_key: optional,
    ca_id: optional,
    serial_number: optional,
    vendor_id: optional,
    host_gateway: optional.describe('The id of the LwM2M gateway that the device is behind'),
    net_id: optional,
    state: z.string(),
    lifecycle_status: z.enum(['enabled', 'blocked']),
    operator_suspended: z.boolean(),
    system_suspended: z.boolean(),
    last_operator_suspended_category: optional,
    last_operator_suspended_description: optional,
    last_operator_suspended_updated_at: optional,
    last_system_suspended_category: optional,
    last_system_suspended_description: optional,
    last_system_suspended_updated_at: optional,
    mechanism: z.string(),
    mechanism_url: z.string(),
    device_execution_mode: z.number().int(),
    deployed_state: optional,
    deployment: optional,
    auto_update: z.boolean().nullable(),
    bootstrapped_timestamp: optional,
    enrolment_list_timestamp: optional,
    manifest_timestamp: optional,
    bootstrap_expiration_date: optional,
    connector_expiration_date: optional,
    manifest: optional,
    firmware_checksum: optional,
    issuer_fingerprint: optional,
    coap_ack_timeout_ms: z.number().int().nullable(),
    coap_block_bytes: z.number().int().nullable(),
    dtls_handshake_timer_ms: z.number().int().nullable(),
    custom_attributes: z.record(z.string(), z.string()),
    component_attributes: z.record(z.string(), z.string()),
    groups: z.array(z.string()),
  })
  .meta({ id: 'Device' });

export type Device = z.infer<typeof Device>;

/** SQL of the etag of a device; the table is `d`. */
export const deviceEtag = isoTime('d.updated_at');

/** SQL of the ids of its groups, as PostgreSQL writes an array. Not ordered, as that would start a sort for each device. */
export const deviceGroups = 'ARRAY(SELECT m.group_id FROM registry.group_members m WHERE m.device_id = d.id)::text';

const token = (name: string, sql: string): JsonMember => ({ name, sql, kind: 'token' });

/** Names say what a member is: `…_at` and `…_timestamp` are times, `…_date` dates. */
const memberOf = (name: string): JsonMember => {
  const sql = `d.${name}`;
  if (name === 'etag') return token(name, deviceEtag);
  if (name === 'id' || name === 'account_id') return token(name, sql);
  if (name === 'created_at' || name === 'updated_at') return token(name, isoTime(sql));
  if (name.endsWith('_attributes')) return { name, sql, kind: 'json' };
  if (/_(at|timestamp)$/.test(name)) return { name, sql: isoTime(sql), kind: 'plain' };
  return name.endsWith('_date') ? { name, sql: `${sql}::text`, kind: 'plain' } : { name, sql, kind: 'value' };
};

const { object: _object, groups: _groups, ...stored } = Device.shape;

/** SQL of the record in its wire form, without groups, which change independently. */
export const deviceRecord = jsonRecord('device', Object.keys(stored).map(memberOf));

/** The whole record of a `deviceRecord` and its `deviceGroups`, in order. Ids of groups need no quotation marks in an array. */
export const withGroups = (text: string, groups: string): string => {
  const ids = groups === '{}' ? '' : `"${groups.slice(1, -1).split(',').sort().join('","')}"`;
  return `${text.slice(0, -1)},"groups":[${ids}]}`;
};
