import { z } from 'zod';

const optional = z.string().nullable();

/** The device record (spec §2.2). */
export const DeviceSchema = z
  .object({
    object: z.literal('device'),
    id: z.string(),
    account_id: z.string(),
    etag: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
    name: optional,
    description: z.string(),
    endpoint_name: optional,
    endpoint_type: optional,
    device_class: optional,
    device_key: optional,
    ca_id: optional,
    serial_number: optional,
    vendor_id: optional,
    host_gateway: optional,
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
    custom_attributes: z.record(z.string(), z.string()),
    component_attributes: z.record(z.string(), z.string()),
    groups: z.array(z.string()),
  })
  .meta({ id: 'Device' });

export type Device = z.infer<typeof DeviceSchema>;

const iso = (column: string): string =>
  `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS ${column.replace('d.', '')}`;

const plain = [
  'id',
  'account_id',
  'name',
  'description',
  'endpoint_name',
  'endpoint_type',
  'device_class',
  'device_key',
  'ca_id',
  'serial_number',
  'vendor_id',
  'host_gateway',
  'net_id',
  'state',
  'lifecycle_status',
  'operator_suspended',
  'system_suspended',
  'last_operator_suspended_category',
  'last_operator_suspended_description',
  'last_system_suspended_category',
  'last_system_suspended_description',
  'mechanism',
  'mechanism_url',
  'device_execution_mode',
  'deployed_state',
  'deployment',
  'auto_update',
  'manifest',
  'firmware_checksum',
  'issuer_fingerprint',
  'custom_attributes',
  'component_attributes',
];

const times = [
  'created_at',
  'updated_at',
  'last_operator_suspended_updated_at',
  'last_system_suspended_updated_at',
  'bootstrapped_timestamp',
  'enrolment_list_timestamp',
  'manifest_timestamp',
];

const dates = ['bootstrap_expiration_date', 'connector_expiration_date'];

/** SQL that reads records in their wire form; the table is `d`. */
export const selectDevices = `
  SELECT 'device' AS object, ${iso('d.updated_at').replace('AS updated_at', 'AS etag')},
    ${plain.map((c) => `d.${c}`).join(', ')}, ${times.map((c) => iso(`d.${c}`)).join(', ')}, ${dates.map((c) => `d.${c}::text`).join(', ')},
    ARRAY(SELECT m.group_id FROM registry.group_members m WHERE m.device_id = d.id ORDER BY m.group_id) AS groups
  FROM registry.devices d`;
