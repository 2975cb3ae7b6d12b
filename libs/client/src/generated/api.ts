// Generated from docs/openapi.json by tools/generate-docs.mjs: do not change by hand.

export interface ApiKeyList {
  object: 'list';
  data: ApiKey[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface ApiKey {
  object: 'api-key';
  id: string;
  /** In full only in the answers to create and reset-secret; else without the secret part */
  key: string;
  name: string;
  status: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  groups: string[];
  owner?: string;
  account_id: string;
  created_at: string;
  /** Milliseconds since the epoch */
  creation_time: number;
  updated_at: string;
  /** The key is refused from then on */
  expiration?: string;
  /** While a rotation overlaps: until then the secret before this one is valid too */
  previous_secret_expires_at?: string;
  last_used_at?: string;
  /** Milliseconds since the epoch; 0: never used */
  last_login_time: number;
  etag: string;
}

export interface NewApiKey {
  name: string;
  groups?: string[];
  owner?: string | null;
  /** null: never */
  expiration?: string | null;
  status?: 'ACTIVE' | 'INACTIVE';
}

export interface ApiKeyChange {
  /** Read-only: accepted with its present value */
  object?: 'api-key' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  key?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  creation_time?: number | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  previous_secret_expires_at?: string | null;
  /** Read-only: accepted with its present value */
  last_used_at?: string | null;
  /** Read-only: accepted with its present value */
  last_login_time?: number | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  groups?: string[];
  owner?: string | null;
  /** null: never */
  expiration?: string | null;
  /** EXPIRED leaves the status as it is: `expiration` says when a key ends */
  status?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
}

export interface ApiKeyRotation {
  /** How long the secret until now stays valid beside the new one */
  overlap_seconds?: number;
}

export interface KeyGroupList {
  object: 'list';
  data: KeyGroup[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface KeyGroup {
  object: 'group';
  id: string;
  name: string;
  account_id: string;
  /** What the group gives its keys; `devices` includes its parts */
  permissions: (
    | 'admin'
    | 'devices'
    | 'notifications'
    | 'devices.read'
    | 'devices.write'
    | 'devices.suspend'
    | 'devices.credentials'
    | 'commands'
    | 'subscriptions'
    | 'snapshots.read'
    | 'events.read'
  )[];
  apikey_count: number;
  user_count: number;
  application_count: number;
  created_at: string;
  updated_at: string;
  etag: string;
}

export type KeyGroupIds = string[];

export interface NewKeyGroup {
  name: string;
  permissions?: (
    | 'admin'
    | 'devices'
    | 'notifications'
    | 'devices.read'
    | 'devices.write'
    | 'devices.suspend'
    | 'devices.credentials'
    | 'commands'
    | 'subscriptions'
    | 'snapshots.read'
    | 'events.read'
  )[];
  members?: KeyGroupMembers;
}

export interface KeyGroupMembers {
  apikeys?: string[];
  users?: string[];
  applications?: string[];
}

export interface KeyGroupChange {
  /** Read-only: accepted with its present value */
  object?: 'group' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  apikey_count?: number | null;
  /** Read-only: accepted with its present value */
  user_count?: number | null;
  /** Read-only: accepted with its present value */
  application_count?: number | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  permissions?: (
    | 'admin'
    | 'devices'
    | 'notifications'
    | 'devices.read'
    | 'devices.write'
    | 'devices.suspend'
    | 'devices.credentials'
    | 'commands'
    | 'subscriptions'
    | 'snapshots.read'
    | 'events.read'
  )[];
}

export interface ApplicationList {
  object: 'list';
  data: Application[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface Application {
  object: 'application';
  id: string;
  account_id: string;
  name: string;
  description: string;
  status: 'ACTIVE' | 'INACTIVE';
  groups: string[];
  last_used_at?: string;
  created_at: string;
  updated_at: string;
  etag: string;
}

export interface EmptyList {
  object: 'list';
  data: never[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface NewApplication {
  name: string;
  description?: string | null;
  status?: 'ACTIVE' | 'INACTIVE';
  groups?: string[];
}

export interface ApplicationChange {
  /** Read-only: accepted with its present value */
  object?: 'application' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  last_used_at?: string | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  status?: 'ACTIVE' | 'INACTIVE';
  groups?: string[];
}

export interface AccessKeyList {
  object: 'list';
  data: AccessKey[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface AccessKey {
  object: 'access-key';
  id: string;
  account_id: string;
  application_id: string;
  name: string;
  description: string;
  status: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  /** The key is refused from then on */
  expiration?: string;
  /** In full only in the answer to create; else without the secret part */
  key: string;
  last_used_at?: string;
  created_at: string;
  updated_at: string;
  etag: string;
}

export interface NewAccessKey {
  name: string;
  description?: string | null;
  status?: 'ACTIVE' | 'INACTIVE';
  /** null: never */
  expiration?: string | null;
}

export interface AccessKeyChange {
  /** Read-only: accepted with its present value */
  object?: 'access-key' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  application_id?: string | null;
  /** Read-only: accepted with its present value */
  key?: string | null;
  /** Read-only: accepted with its present value */
  last_used_at?: string | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  /** EXPIRED leaves the status as it is: `expiration` says when a key ends */
  status?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  /** null: never */
  expiration?: string | null;
}

export interface AccountList {
  object: 'list';
  data: Account[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface Account {
  object: 'account';
  id: string;
  /** The account of the installation; absent on that one */
  parent_id?: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** 0 free, 1 commercial */
  tier: '0' | '1';
  end_market: string;
  display_name: string;
  email?: string;
  company?: string;
  contact?: string;
  phone_number?: string;
  address_line1?: string;
  address_line2?: string;
  city?: string;
  state?: string;
  postal_code?: string;
  country?: string;
  notification_emails?: string[];
  custom_fields?: Record<string, string>;
  aliases: string[];
  /** Quotas that are set: devices, api_keys, applications, requests_per_second */
  limits: Record<string, string>;
  policies: {
    feature: string;
    allow: boolean;
  }[];
  /** First contact of an unknown endpoint creates the device */
  auto_create_devices: boolean;
  /** PUT /v2/subscriptions answers 204 instead of 202, as some clients of the original service expect */
  presubscriptions_no_content: boolean;
  created_at: string;
  updated_at: string;
  etag: string;
}

export interface NewAccount {
  display_name: string;
  email?: string | null;
  company?: string | null;
  contact?: string | null;
  phone_number?: string | null;
  address_line1?: string | null;
  address_line2?: string | null;
  city?: string | null;
  state?: string | null;
  postal_code?: string | null;
  country?: string | null;
  notification_emails?: string[] | null;
  custom_fields?: Record<string, string | number | boolean> | null;
  tier?: '0' | '1';
  auto_create_devices?: boolean;
  presubscriptions_no_content?: boolean;
  /** Quotas; null takes one away, what is left out stays */
  limits?: {
    devices?: number | null;
    api_keys?: number | null;
    applications?: number | null;
    requests_per_second?: number | null;
  };
  /** Ignored: accounts have no market */
  end_market?: string;
  /** Ignored: accounts have no aliases */
  aliases?: string[];
  /** Ignored: there are no users; see admin_key */
  admin_name?: string;
  /** Ignored: there are no users; see admin_key */
  admin_full_name?: string;
  /** Ignored: there are no users; see admin_key */
  admin_email?: string;
  /** Ignored: there are no users; see admin_key */
  admin_password?: string;
}

export interface CreatedAccount {
  object: 'account';
  id: string;
  /** The account of the installation; absent on that one */
  parent_id?: string;
  status: 'ACTIVE' | 'SUSPENDED';
  /** 0 free, 1 commercial */
  tier: '0' | '1';
  end_market: string;
  display_name: string;
  email?: string;
  company?: string;
  contact?: string;
  phone_number?: string;
  address_line1?: string;
  address_line2?: string;
  city?: string;
  state?: string;
  postal_code?: string;
  country?: string;
  notification_emails?: string[];
  custom_fields?: Record<string, string>;
  aliases: string[];
  /** Quotas that are set: devices, api_keys, applications, requests_per_second */
  limits: Record<string, string>;
  policies: {
    feature: string;
    allow: boolean;
  }[];
  /** First contact of an unknown endpoint creates the device */
  auto_create_devices: boolean;
  /** PUT /v2/subscriptions answers 204 instead of 202, as some clients of the original service expect */
  presubscriptions_no_content: boolean;
  created_at: string;
  updated_at: string;
  etag: string;
  /** The first administrator key, in full: shown this once */
  admin_key: string;
  admin_key_id: string;
}

export interface AccountChange {
  /** Read-only: accepted with its present value */
  object?: 'account' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  parent_id?: string | null;
  /** Read-only: accepted with its present value */
  end_market?: string | null;
  /** Read-only: accepted with its present value */
  aliases?: string[] | null;
  /** Read-only: accepted with its present value */
  policies?:
    | {
        feature: string;
        allow: boolean;
      }[]
    | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  display_name?: string;
  email?: string | null;
  company?: string | null;
  contact?: string | null;
  phone_number?: string | null;
  address_line1?: string | null;
  address_line2?: string | null;
  city?: string | null;
  state?: string | null;
  postal_code?: string | null;
  country?: string | null;
  notification_emails?: string[] | null;
  custom_fields?: Record<string, string | number | boolean> | null;
  tier?: '0' | '1';
  auto_create_devices?: boolean;
  presubscriptions_no_content?: boolean;
  /** Quotas; null takes one away, what is left out stays */
  limits?: {
    devices?: number | null;
    api_keys?: number | null;
    applications?: number | null;
    requests_per_second?: number | null;
  };
  status?: 'ACTIVE' | 'SUSPENDED';
}

export interface AccountUsage {
  object: 'account-usage';
  account_id: string;
  devices: {
    used: number;
    /** null: none */
    limit: number | null;
  };
  device_groups: {
    used: number;
    /** null: none */
    limit: number | null;
  };
  api_keys: {
    used: number;
    /** null: none */
    limit: number | null;
  };
  applications: {
    used: number;
    /** null: none */
    limit: number | null;
  };
  key_groups: {
    used: number;
    /** null: none */
    limit: number | null;
  };
  /** Without `used`: requests are held against the limit, not counted by the second */
  requests_per_second: {
    /** Of all keys of the account together */
    limit: number;
  };
  /** When it was counted */
  created_at: string;
}

export interface Explanation {
  object: 'explanation';
  subject: {
    type: 'command' | 'device' | 'event';
    id: string;
  };
  /** What has to happen next, in a sentence */
  waits_for: string;
  /** Oldest first */
  timeline: TimelineEntry[];
  limit: number;
  /** Older entries exist: repeat with before = the first `at` */
  has_more: boolean;
  /** Services whose facts are missing: not permitted to the key, or not answering */
  left_out: {
    service: 'registry' | 'device-proxy' | 'event-log' | 'snapshot' | 'dispatcher';
    reason: string;
  }[];
}

export interface TimelineEntry {
  /** ISO 8601 with microseconds */
  at: string;
  /** Whose fact it is */
  service: 'registry' | 'device-proxy' | 'event-log' | 'snapshot' | 'dispatcher';
  /** For programs, for example command.accepted */
  what: string;
  /** For people */
  text: string;
  facts: Record<string, unknown>;
}

export interface ErrorBody {
  object: 'error';
  /** The HTTP status */
  code: number;
  /** For programs: validation_error, not_found, … */
  type: string;
  /** For people: what is wrong and what to do */
  message: string;
  /** Names the request in the logs of all services */
  request_id: string;
  fields?: {
    name: string;
    message: string;
  }[];
}

/** One word, for example DEVICE_NOT_FOUND; the error object instead when Accept asks for JSON */
export type ErrorToken = string;

export interface ApiKeyFilters {
  key?: string;
  key__eq?: string;
  key__neq?: string;
  /** Values with commas between them */
  key__in?: string;
  /** Values with commas between them */
  key__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  owner?: string;
  owner__eq?: string;
  owner__neq?: string;
  /** Values with commas between them */
  owner__in?: string;
  /** Values with commas between them */
  owner__nin?: string;
}

export interface KeyGroupFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
}

export interface ApplicationFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE';
  status__eq?: 'ACTIVE' | 'INACTIVE';
  status__neq?: 'ACTIVE' | 'INACTIVE';
  /** Values with commas between them */
  status__in?: string;
  /** Values with commas between them */
  status__nin?: string;
}

export interface AccessKeyFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  application_id?: string;
  application_id__eq?: string;
  application_id__neq?: string;
  /** Values with commas between them */
  application_id__in?: string;
  /** Values with commas between them */
  application_id__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  status__eq?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  status__neq?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  /** Values with commas between them */
  status__in?: string;
  /** Values with commas between them */
  status__nin?: string;
}

export interface AccountFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  display_name?: string;
  display_name__eq?: string;
  display_name__neq?: string;
  /** Values with commas between them */
  display_name__in?: string;
  /** Values with commas between them */
  display_name__nin?: string;
  status?: 'ACTIVE' | 'SUSPENDED';
  status__eq?: 'ACTIVE' | 'SUSPENDED';
  status__neq?: 'ACTIVE' | 'SUSPENDED';
  /** Values with commas between them */
  status__in?: string;
  /** Values with commas between them */
  status__nin?: string;
  tier?: '0' | '1';
  tier__eq?: '0' | '1';
  tier__neq?: '0' | '1';
  /** Values with commas between them */
  tier__in?: string;
  /** Values with commas between them */
  tier__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
}

export interface DeviceList {
  object: 'list';
  data: Device[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface Device {
  object: 'device';
  id: string;
  account_id: string;
  /** Version of the record; another one with each `updated_at` */
  etag: string;
  created_at: string;
  /** When an operator or the system last changed the record. What the device itself reports (`state`, `bootstrapped_timestamp`, an `endpoint_type` that was not set) and its `groups` change without it */
  updated_at: string;
  name: string | null;
  description: string;
  endpoint_name: string | null;
  endpoint_type: string | null;
  device_class: string | null;
  device_key: string | null;
  ca_id: string | null;
  serial_number: string | null;
  vendor_id: string | null;
  host_gateway: string | null;
  net_id: string | null;
  state: string;
  lifecycle_status: 'enabled' | 'blocked';
  operator_suspended: boolean;
  system_suspended: boolean;
  last_operator_suspended_category: string | null;
  last_operator_suspended_description: string | null;
  last_operator_suspended_updated_at: string | null;
  last_system_suspended_category: string | null;
  last_system_suspended_description: string | null;
  last_system_suspended_updated_at: string | null;
  mechanism: string;
  mechanism_url: string;
  device_execution_mode: number;
  deployed_state: string | null;
  deployment: string | null;
  auto_update: boolean | null;
  bootstrapped_timestamp: string | null;
  enrolment_list_timestamp: string | null;
  manifest_timestamp: string | null;
  bootstrap_expiration_date: string | null;
  connector_expiration_date: string | null;
  manifest: string | null;
  firmware_checksum: string | null;
  issuer_fingerprint: string | null;
  custom_attributes: Record<string, string>;
  component_attributes: Record<string, string>;
  groups: string[];
}

export interface NewDevice {
  auto_update?: boolean | null;
  ca_id?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
  description?: string | null;
  device_key?: string | null;
  endpoint_name?: string | null;
  endpoint_type?: string | null;
  host_gateway?: string | null;
  name?: string | null;
  device_class?: string | null;
  serial_number?: string | null;
  vendor_id?: string | null;
  net_id?: string | null;
  state?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  mechanism?: 'connector' | 'direct';
  mechanism_url?: string | null;
  device_execution_mode?: 0 | 1 | 5;
  deployment?: string | null;
  manifest?: string | null;
  firmware_checksum?: string | null;
  issuer_fingerprint?: string | null;
  bootstrap_expiration_date?: unknown | null;
  connector_expiration_date?: unknown | null;
}

export interface DeviceChanges {
  /** Read-only: accepted with its present value */
  object?: 'device' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  device_class?: string | null;
  /** Read-only: accepted with its present value */
  serial_number?: string | null;
  /** Read-only: accepted with its present value */
  vendor_id?: string | null;
  /** Read-only: accepted with its present value */
  net_id?: string | null;
  /** Read-only: accepted with its present value */
  state?: string | null;
  /** Read-only: accepted with its present value */
  lifecycle_status?: 'enabled' | 'blocked' | null;
  /** Read-only: accepted with its present value */
  operator_suspended?: boolean | null;
  /** Read-only: accepted with its present value */
  system_suspended?: boolean | null;
  /** Read-only: accepted with its present value */
  last_operator_suspended_category?: string | null;
  /** Read-only: accepted with its present value */
  last_operator_suspended_description?: string | null;
  /** Read-only: accepted with its present value */
  last_operator_suspended_updated_at?: string | null;
  /** Read-only: accepted with its present value */
  last_system_suspended_category?: string | null;
  /** Read-only: accepted with its present value */
  last_system_suspended_description?: string | null;
  /** Read-only: accepted with its present value */
  last_system_suspended_updated_at?: string | null;
  /** Read-only: accepted with its present value */
  mechanism?: string | null;
  /** Read-only: accepted with its present value */
  mechanism_url?: string | null;
  /** Read-only: accepted with its present value */
  device_execution_mode?: number | null;
  /** Read-only: accepted with its present value */
  deployed_state?: string | null;
  /** Read-only: accepted with its present value */
  deployment?: string | null;
  /** Read-only: accepted with its present value */
  bootstrapped_timestamp?: string | null;
  /** Read-only: accepted with its present value */
  enrolment_list_timestamp?: string | null;
  /** Read-only: accepted with its present value */
  manifest_timestamp?: string | null;
  /** Read-only: accepted with its present value */
  bootstrap_expiration_date?: string | null;
  /** Read-only: accepted with its present value */
  connector_expiration_date?: string | null;
  /** Read-only: accepted with its present value */
  manifest?: string | null;
  /** Read-only: accepted with its present value */
  firmware_checksum?: string | null;
  /** Read-only: accepted with its present value */
  issuer_fingerprint?: string | null;
  /** Read-only: accepted with its present value */
  component_attributes?: Record<string, string> | null;
  /** Read-only: accepted with its present value */
  groups?: string[] | null;
  auto_update?: boolean | null;
  ca_id?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
  description?: string | null;
  device_key?: string | null;
  endpoint_name?: string | null;
  endpoint_type?: string | null;
  host_gateway?: string | null;
  name?: string | null;
}

export interface SuspensionReason {
  category: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description?: string;
}

export interface BulkSuspension {
  action: 'suspend' | 'resume';
  category: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description?: string;
  /** The devices of this device group */
  group_id?: string;
  /** The devices that these filters of the device list find */
  filter?: string;
  /** Count only */
  dry_run?: boolean;
  /** `after` of the answer before, while it says has_more */
  after?: string;
}

export interface BulkSuspensionOutcome {
  object: 'device-suspension';
  action: 'suspend' | 'resume';
  dry_run: boolean;
  matched_count: number;
  /** The others were as wanted already */
  changed_count: number;
  after: string | null;
  /** Call again with `after`: a call goes over 5,000 devices */
  has_more: boolean;
}

export interface DeviceQueryList {
  object: 'list';
  data: DeviceQuery[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceQuery {
  object: 'device-query';
  id: string;
  name: string;
  description: string;
  query: string;
  created_at: string;
  updated_at: string;
  etag: string;
}

export interface NewDeviceQuery {
  name: string;
  description?: string | null;
  /** Filters of the device list, as in `filter`: `state=registered&name__neq=a` */
  query: string;
}

export interface DeviceQueryChanges {
  /** Read-only: accepted with its present value */
  object?: 'device-query' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  /** Filters of the device list, as in `filter`: `state=registered&name__neq=a` */
  query?: string;
}

export interface DeviceImport {
  object: 'device-import';
  id: string;
  name: string;
  status: 'uploading' | 'new' | 'processing' | 'completed';
  /** `account_resumed`: the account is suspended. No more devices are created until it is resumed, then the import goes on by itself */
  waits_for: 'account_resumed' | null;
  /** Rows below the header */
  total_count: number;
  processed_count: number;
  /** Rows that made no device */
  errors_count: number;
  /** Path of the report: one line for each problem of a row */
  errors_report_file: string;
  created_at: string;
  completed_at: string | null;
  etag: string;
}

export interface DeviceImportList {
  object: 'list';
  data: DeviceImport[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceBlockCategoryList {
  object: 'list';
  data: DeviceBlockCategory[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceBlockCategory {
  object: 'device-block-category';
  reference: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description: string;
  updated_at: string;
}

export interface DeviceGroupList {
  object: 'list';
  data: DeviceGroup[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceGroup {
  object: 'device-group';
  id: string;
  name: string;
  description: string;
  custom_attributes: Record<string, string>;
  devices_count: number;
  created_at: string;
  updated_at: string;
  etag: string;
}

/** Further top-level keys are custom attributes */
export type NewDeviceGroup = {
  name: string;
  description?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
} & Record<string, unknown>;

export interface DeviceGroupChanges {
  /** Read-only: accepted with its present value */
  object?: 'device-group' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  devices_count?: number | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
}

export interface DeviceGroupMember {
  device_id?: string;
  id?: string;
}

export interface DeviceCredentialList {
  object: 'list';
  data: DeviceCredential[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceCredential {
  object: 'device-credential';
  id: string;
  device_id: string;
  kind: 'psk' | 'certificate';
  /** Of a pre-shared key */
  identity: string | null;
  /** Of a certificate: SHA-256 of its DER form */
  fingerprint: string | null;
  subject: string | null;
  /** End of the validity of a certificate */
  expires_at: string | null;
  created_at: string;
}

export type NewDeviceCredential =
  | {
      kind: 'psk';
      /** Generated when left out. Otherwise the device shows `<account id>:<identity>`, as the answer says: identities of accounts never meet */
      identity?: string;
      /** In hex; generated when left out */
      key?: string;
    }
  | {
      kind: 'certificate';
      /** PEM. Its private key stays with the device */
      certificate: string;
    };

export interface CreatedDeviceCredential {
  object: 'device-credential';
  id: string;
  device_id: string;
  kind: 'psk' | 'certificate';
  /** Of a pre-shared key */
  identity: string | null;
  /** Of a certificate: SHA-256 of its DER form */
  fingerprint: string | null;
  subject: string | null;
  /** End of the validity of a certificate */
  expires_at: string | null;
  created_at: string;
  /** Of a pre-shared key, in hex. Shown this once */
  key?: string;
}

export interface TrustedCertificateList {
  object: 'list';
  data: TrustedCertificate[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface TrustedCertificate {
  object: 'trusted-cert';
  id: string;
  account_id: string;
  name: string;
  description: string;
  service: 'lwm2m';
  /** INACTIVE: its devices are disconnected and refused, as if the issuer were not trusted */
  status: 'ACTIVE' | 'INACTIVE';
  /** Whether the account has shown, by a signature, that the issuer is its own */
  verified: boolean;
  /** Whether a device that nobody created is created when it first shows a certificate of this issuer */
  enrollment_mode: boolean;
  certificate: string;
  /** SHA-256 of the DER form */
  certificate_fingerprint: string;
  subject: string;
  issuer: string;
  /** When the certificate expires */
  validity: string;
  /** Whether it has not expired */
  valid: boolean;
  revoked_serials: string[];
  created_at: string;
  updated_at: string;
  etag: string;
}

export interface NewTrustedCertificate {
  /** PEM of a certificate authority */
  certificate: string;
  /** The account id, signed with the private key of the certificate (SHA-256; DER for ECDSA). Without it the certificate stays INACTIVE */
  signature?: string | null;
  /** Whether a device that nobody created is created when it first shows a certificate of this issuer */
  enrollment_mode?: boolean;
  name?: string;
  description?: string | null;
  service?: 'lwm2m';
  /** Default: ACTIVE with a signature, INACTIVE without */
  status?: 'ACTIVE' | 'INACTIVE';
}

export interface TrustedCertificateChanges {
  /** Read-only: accepted with its present value */
  object?: 'trusted-cert' | null;
  /** Read-only: accepted with its present value */
  id?: string | null;
  /** Read-only: accepted with its present value */
  account_id?: string | null;
  /** Read-only: accepted with its present value */
  service?: 'lwm2m' | null;
  /** Read-only: accepted with its present value */
  verified?: boolean | null;
  /** Read-only: accepted with its present value */
  certificate?: string | null;
  /** Read-only: accepted with its present value */
  certificate_fingerprint?: string | null;
  /** Read-only: accepted with its present value */
  subject?: string | null;
  /** Read-only: accepted with its present value */
  issuer?: string | null;
  /** Read-only: accepted with its present value */
  validity?: string | null;
  /** Read-only: accepted with its present value */
  valid?: boolean | null;
  /** Read-only: accepted with its present value */
  created_at?: string | null;
  /** Read-only: accepted with its present value */
  updated_at?: string | null;
  /** Read-only: accepted with its present value */
  etag?: string | null;
  /** Whether a device that nobody created is created when it first shows a certificate of this issuer */
  enrollment_mode?: boolean;
  name?: string;
  description?: string | null;
  /** INACTIVE: its devices are disconnected and refused, as if the issuer were not trusted */
  status?: 'ACTIVE' | 'INACTIVE';
  /** The account id, signed with the private key of the certificate (SHA-256; DER for ECDSA). Without it the certificate stays INACTIVE */
  signature?: string | null;
  /** Serial numbers (hex) of certificates below this issuer that are not accepted any more: of devices, or of issuers between. Takes the place of the list before; what is connected with one of them is disconnected and its registration ends */
  revoked_serials?: string[];
}

export interface DeviceFilters {
  account_id?: string;
  account_id__eq?: string;
  account_id__neq?: string;
  /** Values with commas between them */
  account_id__in?: string;
  /** Values with commas between them */
  account_id__nin?: string;
  ca_id?: string;
  ca_id__eq?: string;
  ca_id__neq?: string;
  /** Values with commas between them */
  ca_id__in?: string;
  /** Values with commas between them */
  ca_id__nin?: string;
  deployed_state?: '' | 'development' | 'production';
  deployed_state__eq?: '' | 'development' | 'production';
  deployed_state__neq?: '' | 'development' | 'production';
  /** Values with commas between them */
  deployed_state__in?: string;
  /** Values with commas between them */
  deployed_state__nin?: string;
  deployment?: string;
  deployment__eq?: string;
  deployment__neq?: string;
  /** Values with commas between them */
  deployment__in?: string;
  /** Values with commas between them */
  deployment__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Values with commas between them */
  description__in?: string;
  /** Values with commas between them */
  description__nin?: string;
  device_class?: string;
  device_class__eq?: string;
  device_class__neq?: string;
  /** Values with commas between them */
  device_class__in?: string;
  /** Values with commas between them */
  device_class__nin?: string;
  device_key?: string;
  device_key__eq?: string;
  device_key__neq?: string;
  /** Values with commas between them */
  device_key__in?: string;
  /** Values with commas between them */
  device_key__nin?: string;
  endpoint_name?: string;
  endpoint_name__eq?: string;
  endpoint_name__neq?: string;
  /** Values with commas between them */
  endpoint_name__in?: string;
  /** Values with commas between them */
  endpoint_name__nin?: string;
  endpoint_type?: string;
  endpoint_type__eq?: string;
  endpoint_type__neq?: string;
  /** Values with commas between them */
  endpoint_type__in?: string;
  /** Values with commas between them */
  endpoint_type__nin?: string;
  firmware_checksum?: string;
  firmware_checksum__eq?: string;
  firmware_checksum__neq?: string;
  /** Values with commas between them */
  firmware_checksum__in?: string;
  /** Values with commas between them */
  firmware_checksum__nin?: string;
  host_gateway?: string;
  host_gateway__eq?: string;
  host_gateway__neq?: string;
  /** Values with commas between them */
  host_gateway__in?: string;
  /** Values with commas between them */
  host_gateway__nin?: string;
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  lifecycle_status?: 'enabled' | 'blocked';
  lifecycle_status__eq?: 'enabled' | 'blocked';
  lifecycle_status__neq?: 'enabled' | 'blocked';
  /** Values with commas between them */
  lifecycle_status__in?: string;
  /** Values with commas between them */
  lifecycle_status__nin?: string;
  manifest?: string;
  manifest__eq?: string;
  manifest__neq?: string;
  /** Values with commas between them */
  manifest__in?: string;
  /** Values with commas between them */
  manifest__nin?: string;
  mechanism?: 'connector' | 'direct';
  mechanism__eq?: 'connector' | 'direct';
  mechanism__neq?: 'connector' | 'direct';
  /** Values with commas between them */
  mechanism__in?: string;
  /** Values with commas between them */
  mechanism__nin?: string;
  mechanism_url?: string;
  mechanism_url__eq?: string;
  mechanism_url__neq?: string;
  /** Values with commas between them */
  mechanism_url__in?: string;
  /** Values with commas between them */
  mechanism_url__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  net_id?: string;
  net_id__eq?: string;
  net_id__neq?: string;
  /** Values with commas between them */
  net_id__in?: string;
  /** Values with commas between them */
  net_id__nin?: string;
  serial_number?: string;
  serial_number__eq?: string;
  serial_number__neq?: string;
  /** Values with commas between them */
  serial_number__in?: string;
  /** Values with commas between them */
  serial_number__nin?: string;
  state?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  state__eq?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  state__neq?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  /** Values with commas between them */
  state__in?: string;
  /** Values with commas between them */
  state__nin?: string;
  vendor_id?: string;
  vendor_id__eq?: string;
  vendor_id__neq?: string;
  /** Values with commas between them */
  vendor_id__in?: string;
  /** Values with commas between them */
  vendor_id__nin?: string;
  last_operator_suspended_category?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_operator_suspended_category__eq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_operator_suspended_category__neq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  /** Values with commas between them */
  last_operator_suspended_category__in?: string;
  /** Values with commas between them */
  last_operator_suspended_category__nin?: string;
  last_system_suspended_category?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_system_suspended_category__eq?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_system_suspended_category__neq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  /** Values with commas between them */
  last_system_suspended_category__in?: string;
  /** Values with commas between them */
  last_system_suspended_category__nin?: string;
  operator_suspended?: boolean;
  operator_suspended__eq?: boolean;
  operator_suspended__neq?: boolean;
  system_suspended?: boolean;
  system_suspended__eq?: boolean;
  system_suspended__neq?: boolean;
  auto_update?: boolean;
  auto_update__eq?: boolean;
  auto_update__neq?: boolean;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Values with commas between them */
  updated_at__in?: string;
  /** Values with commas between them */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__eq?: string;
  /** Values with commas between them */
  bootstrapped_timestamp__in?: string;
  /** Values with commas between them */
  bootstrapped_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__eq?: string;
  /** Values with commas between them */
  bootstrap_expiration_date__in?: string;
  /** Values with commas between them */
  bootstrap_expiration_date__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__eq?: string;
  /** Values with commas between them */
  connector_expiration_date__in?: string;
  /** Values with commas between them */
  connector_expiration_date__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__eq?: string;
  /** Values with commas between them */
  enrolment_list_timestamp__in?: string;
  /** Values with commas between them */
  enrolment_list_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__eq?: string;
  /** Values with commas between them */
  manifest_timestamp__in?: string;
  /** Values with commas between them */
  manifest_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__eq?: string;
  /** Values with commas between them */
  last_operator_suspended_updated_at__in?: string;
  /** Values with commas between them */
  last_operator_suspended_updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__eq?: string;
  /** Values with commas between them */
  last_system_suspended_updated_at__in?: string;
  /** Values with commas between them */
  last_system_suspended_updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__gte?: string;
  device_execution_mode?: 0 | 1 | 5;
  device_execution_mode__eq?: 0 | 1 | 5;
  device_execution_mode__neq?: 0 | 1 | 5;
  /** Values with commas between them */
  device_execution_mode__in?: string;
  /** Values with commas between them */
  device_execution_mode__nin?: string;
  device_execution_mode__lte?: 0 | 1 | 5;
  device_execution_mode__gte?: 0 | 1 | 5;
  groups?: string;
  groups__eq?: string;
  groups__neq?: string;
  /** Values with commas between them */
  groups__in?: string;
  /** Values with commas between them */
  groups__nin?: string;
  [name: `custom_attributes__${string}`]: string | undefined;
  [name: `component_attributes__${string}`]: string | undefined;
}

export interface DeviceQueryFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  query?: string;
  query__eq?: string;
  query__neq?: string;
  /** Values with commas between them */
  query__in?: string;
  /** Values with commas between them */
  query__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Values with commas between them */
  updated_at__in?: string;
  /** Values with commas between them */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
}

export interface DeviceBlockCategoryFilters {
  reference?: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  reference__eq?: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  reference__neq?: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  /** Values with commas between them */
  reference__in?: string;
  /** Values with commas between them */
  reference__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Values with commas between them */
  updated_at__in?: string;
  /** Values with commas between them */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
}

export interface DeviceGroupFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  devices_count?: number;
  devices_count__eq?: number;
  devices_count__neq?: number;
  /** Values with commas between them */
  devices_count__in?: string;
  /** Values with commas between them */
  devices_count__nin?: string;
  devices_count__lte?: number;
  devices_count__gte?: number;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Values with commas between them */
  updated_at__in?: string;
  /** Values with commas between them */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
  [name: `custom_attributes__${string}`]: string | undefined;
}

export interface DeviceCredentialFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  kind?: 'psk' | 'certificate';
  kind__eq?: 'psk' | 'certificate';
  kind__neq?: 'psk' | 'certificate';
  /** Values with commas between them */
  kind__in?: string;
  /** Values with commas between them */
  kind__nin?: string;
  identity?: string;
  identity__eq?: string;
  identity__neq?: string;
  /** Values with commas between them */
  identity__in?: string;
  /** Values with commas between them */
  identity__nin?: string;
  fingerprint?: string;
  fingerprint__eq?: string;
  fingerprint__neq?: string;
  /** Values with commas between them */
  fingerprint__in?: string;
  /** Values with commas between them */
  fingerprint__nin?: string;
  subject?: string;
  subject__eq?: string;
  subject__neq?: string;
  /** Values with commas between them */
  subject__in?: string;
  /** Values with commas between them */
  subject__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__eq?: string;
  /** Values with commas between them */
  expires_at__in?: string;
  /** Values with commas between them */
  expires_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
}

export interface TrustedCertificateFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Values with commas between them */
  description__in?: string;
  /** Values with commas between them */
  description__nin?: string;
  service?: 'lwm2m';
  service__eq?: 'lwm2m';
  service__neq?: 'lwm2m';
  /** Values with commas between them */
  service__in?: string;
  /** Values with commas between them */
  service__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE';
  status__eq?: 'ACTIVE' | 'INACTIVE';
  status__neq?: 'ACTIVE' | 'INACTIVE';
  /** Values with commas between them */
  status__in?: string;
  /** Values with commas between them */
  status__nin?: string;
  subject?: string;
  subject__eq?: string;
  subject__neq?: string;
  /** Values with commas between them */
  subject__in?: string;
  /** Values with commas between them */
  subject__nin?: string;
  issuer?: string;
  issuer__eq?: string;
  issuer__neq?: string;
  /** Values with commas between them */
  issuer__in?: string;
  /** Values with commas between them */
  issuer__nin?: string;
  certificate_fingerprint?: string;
  certificate_fingerprint__eq?: string;
  certificate_fingerprint__neq?: string;
  /** Values with commas between them */
  certificate_fingerprint__in?: string;
  /** Values with commas between them */
  certificate_fingerprint__nin?: string;
  enrollment_mode?: boolean;
  enrollment_mode__eq?: boolean;
  enrollment_mode__neq?: boolean;
  verified?: boolean;
  verified__eq?: boolean;
  verified__neq?: boolean;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity__eq?: string;
  /** Values with commas between them */
  validity__in?: string;
  /** Values with commas between them */
  validity__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Values with commas between them */
  updated_at__in?: string;
  /** Values with commas between them */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
}

export interface AsyncResponse {
  id: string;
  status: number;
  /** "" when there is none */
  payload: string;
  ct?: string;
  'max-age'?: number;
  error?: string;
}

export interface DeviceCommandList {
  object: 'list';
  data: DeviceCommand[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceCommand {
  id: string;
  object: 'device-request';
  async_id: string;
  device_id: string;
  kind: 'device-request' | 'endpoint' | 'subscription';
  method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
  uri: string;
  state: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  /** How often it was given to the device */
  attempts: number;
  attempted_at: string | null;
  created_at: string;
  expires_at: string;
  finished_at: string | null;
  /** Of the asynchronous response */
  status: number | null;
  /** Of the asynchronous response, for example NOT_CONNECTED */
  error: string | null;
  note: string | null;
  /** base64 */
  payload: string | null;
  content_type: string | null;
}

export interface Endpoint {
  /** Device id */
  name: string;
  type?: string;
  status: 'ACTIVE';
  /** Queue mode */
  q: boolean;
}

export interface EndpointResource {
  uri: string;
  rt?: string;
  /** Media type */
  type?: string;
  /** Can be observed */
  obs: boolean;
}

export interface AsyncAccepted {
  'async-response-id': string;
}

export interface KeySubscriptionsList {
  object: 'list';
  data: KeySubscriptions[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface KeySubscriptions {
  /** Id of the API key or application */
  id: string;
  object: 'key-subscriptions';
  /** Its presubscription rules */
  presubscriptions: {
    /** Device id or endpoint name; may end in * */
    'endpoint-name'?: string;
    'endpoint-type'?: string;
    'resource-path'?: string[];
  }[];
  /** Subscribed resources, over all devices */
  subscriptions_count: number;
  /** Devices to which it is subscribed */
  devices_count: number;
}

export interface ObjectModel {
  id: string;
  object: 'object-model';
  object_id: number;
  name: string;
  version: string;
  resources: {
    id: number;
    name: string;
    type: 'string' | 'integer' | 'unsigned' | 'float' | 'boolean' | 'opaque' | 'time' | 'objlnk' | 'corelnk' | 'none';
    operations: 'R' | 'W' | 'RW' | 'E' | '';
    multiple: boolean;
  }[];
  created_at: string;
}

export interface ObjectModelList {
  object: 'list';
  data: ObjectModel[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface DeviceCommandFilters {
  async_id?: string;
  async_id__eq?: string;
  async_id__neq?: string;
  /** Values with commas between them */
  async_id__in?: string;
  /** Values with commas between them */
  async_id__nin?: string;
  device_id?: string;
  device_id__eq?: string;
  device_id__neq?: string;
  /** Values with commas between them */
  device_id__in?: string;
  /** Values with commas between them */
  device_id__nin?: string;
  state?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  state__eq?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  state__neq?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  /** Values with commas between them */
  state__in?: string;
  /** Values with commas between them */
  state__nin?: string;
}

export interface ObjectModelFilters {
  object_id?: number;
  object_id__eq?: number;
  object_id__neq?: number;
  /** Values with commas between them */
  object_id__in?: string;
  /** Values with commas between them */
  object_id__nin?: string;
  object_id__lte?: number;
  object_id__gte?: number;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Values with commas between them */
  name__in?: string;
  /** Values with commas between them */
  name__nin?: string;
  version?: string;
  version__eq?: string;
  version__neq?: string;
  /** Values with commas between them */
  version__in?: string;
  /** Values with commas between them */
  version__nin?: string;
}

export interface DeviceEcho {
  object: 'device-echo';
  device_id: string;
  endpoint_name: string;
  /** When this reply was made */
  created_at: string;
  /** Last registration event */
  updated_at?: string;
  last_reported_at?: string;
  last_desired_at?: string;
  /** What the snapshot of the device takes in the database, without indexes */
  stored_bytes: number;
  resources: DeviceEchoResource[];
}

export interface DeviceEchoResource {
  resource_path: string;
  /** Of the resource, where its object is known */
  name?: string;
  /** Of the resource, where its object is known: float, string … */
  type?: string;
  /** True when any application has a confirmed subscription that covers the path */
  subscribed: boolean;
  reported?: {
    /** base64 */
    value: string;
    /** The value as the type of the resource says; of several instances, one for each id. Absent where the type is not known, and for bytes */
    decoded?: string | number | boolean | Record<string, string | number | boolean>;
    content_type: string;
    /** When the device measured it, where it says so; otherwise when it arrived */
    reported_at: string;
    /** reported_at + max-age */
    expires_at: string;
  };
  desired?: {
    /** base64 */
    value: string;
    /** The value as the type of the resource says; of several instances, one for each id. Absent where the type is not known, and for bytes */
    decoded?: string | number | boolean | Record<string, string | number | boolean>;
    /** 0 pending, 1 success, 2 failure */
    status: number;
    /** When the command was issued */
    desired_at: string;
    /** When it succeeded or failed */
    status_updated_at: string;
  };
}

export interface DeviceEventList {
  object: 'list';
  data: DeviceEvent[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count?: number;
}

export interface DeviceEvent {
  object: 'device-event';
  id: string;
  device_log_id: string;
  device_id: string;
  /** ISO 8601 with microseconds */
  date_time: string;
  created_at: string;
  etag: string;
  /** Numeric part of the code, for example 106 */
  event_type: string;
  /** For example SYS_106 or UPD4_FAIL_27 */
  event_code: string;
  /** For example FAIL_SERVICE */
  event_type_category: string;
  event_type_description: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  description: string;
  state_change: boolean;
  changes: Record<string, string>;
  data: Record<string, string>;
}

export interface DeviceEventCodeList {
  object: 'list';
  data: DeviceEventCode[];
  limit: number;
  after: string | null;
  order: 'ASC' | 'DESC';
  has_more: boolean;
  total_count: number;
}

export interface DeviceEventCode {
  object: 'device-event-code';
  /** The code, for example SYS_106 or UPD4_FAIL_27: `event_code` of a record */
  id: string;
  /** `event_type` of a record, for example 106 */
  event_type: string;
  event_type_category: string;
  event_type_description: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  /** Who writes it: a service, or the update client on the device */
  source: 'service' | 'client';
  /** What it means */
  description: string;
  /** What to do about it */
  remedy: string;
}

export interface DeviceEventFilters {
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time__eq?: string;
  /** Values with commas between them */
  date_time__in?: string;
  /** Values with commas between them */
  date_time__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Values with commas between them */
  created_at__in?: string;
  /** Values with commas between them */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  device_log_id?: string;
  device_log_id__eq?: string;
  device_log_id__neq?: string;
  /** Values with commas between them */
  device_log_id__in?: string;
  /** Values with commas between them */
  device_log_id__nin?: string;
  device_id?: string;
  device_id__eq?: string;
  device_id__neq?: string;
  /** Values with commas between them */
  device_id__in?: string;
  /** Values with commas between them */
  device_id__nin?: string;
  group_id?: string;
  group_id__eq?: string;
  group_id__neq?: string;
  /** Values with commas between them */
  group_id__in?: string;
  /** Values with commas between them */
  group_id__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Values with commas between them */
  description__in?: string;
  /** Values with commas between them */
  description__nin?: string;
  event_type?: string;
  event_type__eq?: string;
  event_type__neq?: string;
  /** Values with commas between them */
  event_type__in?: string;
  /** Values with commas between them */
  event_type__nin?: string;
  event_code?: string;
  event_code__eq?: string;
  event_code__neq?: string;
  /** Values with commas between them */
  event_code__in?: string;
  /** Values with commas between them */
  event_code__nin?: string;
  event_type_category?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  event_type_category__eq?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  event_type_category__neq?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  /** Values with commas between them */
  event_type_category__in?: string;
  /** Values with commas between them */
  event_type_category__nin?: string;
  event_type_description?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__eq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__neq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  /** Values with commas between them */
  event_type_description__in?: string;
  /** Values with commas between them */
  event_type_description__nin?: string;
  state_change?: boolean;
  state_change__eq?: boolean;
  state_change__neq?: boolean;
  [name: `data__${string}`]: string | undefined;
  [name: `changes__${string}`]: string | undefined;
}

export interface DeviceEventCodeFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Values with commas between them */
  id__in?: string;
  /** Values with commas between them */
  id__nin?: string;
  event_type?: string;
  event_type__eq?: string;
  event_type__neq?: string;
  /** Values with commas between them */
  event_type__in?: string;
  /** Values with commas between them */
  event_type__nin?: string;
  event_type_category?: string;
  event_type_category__eq?: string;
  event_type_category__neq?: string;
  /** Values with commas between them */
  event_type_category__in?: string;
  /** Values with commas between them */
  event_type_category__nin?: string;
  event_type_description?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__eq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__neq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  /** Values with commas between them */
  event_type_description__in?: string;
  /** Values with commas between them */
  event_type_description__nin?: string;
  source?: 'service' | 'client';
  source__eq?: 'service' | 'client';
  source__neq?: 'service' | 'client';
  /** Values with commas between them */
  source__in?: string;
  /** Values with commas between them */
  source__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Values with commas between them */
  description__in?: string;
  /** Values with commas between them */
  description__nin?: string;
}

export interface ChannelKind {
  delivery_mechanism: 'CALLBACK' | 'WEB_SOCKET' | 'LONG_POLLING';
}

export interface CallbackChannel {
  url: string;
  /** Values are masked */
  headers: Record<string, string>;
  serialization: ChannelSerialization;
  /** Events waiting; -1 when not known */
  queue_size: number;
  /** What they count against the limit of 50 MB */
  queue_bytes: number;
  /** When the oldest of them was queued */
  oldest: string | null;
  /** Events removed undelivered since the channel was made, by reason */
  dropped: {
    size: number;
    age: number;
    failed: number;
  };
  /** Failed deliveries in a row */
  failures: number;
  failing_since: string | null;
  /** Why nothing is sent, although there may be events */
  stopped: 'key_reset' | 'key_revoked' | null;
}

export interface ChannelSerialization {
  type: 'v2';
  max_chunk_size: number;
  cfg: {
    include_uid: boolean;
    include_timestamp: boolean;
    include_original_ep: boolean;
    deregistrations_as_object: boolean;
    use_endpoint_name: boolean;
  };
}

export interface WebSocketChannel {
  status: 'connected' | 'disconnected';
  serialization: ChannelSerialization;
  /** Events waiting; -1 when not known */
  queue_size: number;
  /** What they count against the limit of 50 MB */
  queue_bytes: number;
  /** When the oldest of them was queued */
  oldest: string | null;
  /** Events removed undelivered since the channel was made, by reason */
  dropped: {
    size: number;
    age: number;
    failed: number;
  };
}

export interface CreatedSigningSecret {
  id: string;
  /** Shown this once */
  secret: string;
  created_at: string;
}

export interface SigningSecretList {
  object: 'list';
  data: SigningSecret[];
  /** Size of the page */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** Ask again with the id of the last item as `after` */
  has_more: boolean;
  /** With include=total_count */
  total_count?: number;
}

export interface SigningSecret {
  id: string;
  created_at: string;
}

export interface NotificationMessage {
  notifications?: {
    /** Device id; the endpoint name with use_endpoint_name */
    ep: string;
    path: string;
    /** Media type */
    ct: string;
    /** Bytes as the device sent them */
    payload: string;
    /** Seconds */
    'max-age': number;
    /** With include_uid: the same each time the item is delivered */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
    timestamp?: number;
    /** With include_original_ep: the endpoint name */
    'original-ep'?: string;
  }[];
  registrations?: {
    /** Device id; the endpoint name with use_endpoint_name */
    ep: string;
    ept?: string;
    q?: boolean;
    resources?: {
      path: string;
      rt?: string;
      if?: string;
      ct?: string;
      obs: boolean;
    }[];
    /** With include_uid: the same each time the item is delivered */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
    timestamp?: number;
    /** The endpoint name */
    'original-ep'?: string;
  }[];
  'reg-updates'?: {
    /** Device id; the endpoint name with use_endpoint_name */
    ep: string;
    ept?: string;
    q?: boolean;
    resources?: {
      path: string;
      rt?: string;
      if?: string;
      ct?: string;
      obs: boolean;
    }[];
    /** With include_uid: the same each time the item is delivered */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
    timestamp?: number;
    /** The endpoint name */
    'original-ep'?: string;
  }[];
  /** Ids; objects with deregistrations_as_object */
  'de-registrations'?: (
    | string
    | {
        /** Device id; the endpoint name with use_endpoint_name */
        ep: string;
        /** With include_uid: the same each time the item is delivered */
        uid?: string;
        /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
        timestamp?: number;
        /** With include_original_ep: the endpoint name */
        'original-ep'?: string;
      }
  )[];
  /** Ids; objects with deregistrations_as_object */
  'registrations-expired'?: (
    | string
    | {
        /** Device id; the endpoint name with use_endpoint_name */
        ep: string;
        /** With include_uid: the same each time the item is delivered */
        uid?: string;
        /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
        timestamp?: number;
        /** With include_original_ep: the endpoint name */
        'original-ep'?: string;
      }
  )[];
  'async-responses'?: {
    id: string;
    status: number;
    /** "" when there is none */
    payload: string;
    ct?: string;
    'max-age'?: number;
    error?: string;
    /** With include_uid: the same each time the item is delivered */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, where it says so; otherwise when the event was queued */
    timestamp?: number;
    /** With include_original_ep: the endpoint name */
    'original-ep'?: string;
  }[];
}

export interface PullChannel {
  serialization: ChannelSerialization;
  /** Events waiting; -1 when not known */
  queue_size: number;
  /** What they count against the limit of 50 MB */
  queue_bytes: number;
  /** When the oldest of them was queued */
  oldest: string | null;
  /** Events removed undelivered since the channel was made, by reason */
  dropped: {
    size: number;
    age: number;
    failed: number;
  };
}

/** Every operation by method and path: what it takes, and what it answers when it succeeds. */
export interface Operations {
  /** List API keys */
  'GET /v3/api-keys': {
    input: {
      query?: ApiKeyFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ApiKeyList;
  };
  /** Create an API key */
  'POST /v3/api-keys': {
    input: {
      body: NewApiKey;
    };
    answer: ApiKey;
  };
  /** Show an API key */
  'GET /v3/api-keys/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: ApiKey;
  };
  /** Change an API key */
  'PUT /v3/api-keys/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: ApiKeyChange;
    };
    answer: ApiKey;
  };
  /** Delete an API key */
  'DELETE /v3/api-keys/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Reset the secret of an API key */
  'POST /v3/api-keys/{id}/reset-secret': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body?: ApiKeyChange | null;
    };
    answer: ApiKey;
  };
  /** Rotate the secret of an API key */
  'POST /v3/api-keys/{id}/rotate': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body?: ApiKeyRotation | null;
    };
    answer: ApiKey;
  };
  /** End the overlap of a rotation now */
  'DELETE /v3/api-keys/{id}/previous-secret': {
    input: {
      path: {
        id: string;
      };
    };
    answer: undefined;
  };
  /** List the groups of an API key */
  'GET /v3/api-keys/{id}/groups': {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: KeyGroupList;
  };
  /** Add an API key to groups */
  'POST /v3/api-keys/{id}/groups': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** Remove an API key from groups (older form) */
  'DELETE /v3/api-keys/{id}/groups': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** Add an API key to groups */
  'POST /v3/api-keys/{id}/groups/add': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** Remove an API key from groups */
  'POST /v3/api-keys/{id}/groups/remove': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** List key groups */
  'GET /v3/policy-groups': {
    input: {
      query?: KeyGroupFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: KeyGroupList;
  };
  /** Create a key group */
  'POST /v3/policy-groups': {
    input: {
      body: NewKeyGroup;
    };
    answer: KeyGroup;
  };
  /** Show a key group */
  'GET /v3/policy-groups/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: KeyGroup;
  };
  /** Change a key group */
  'PUT /v3/policy-groups/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupChange;
    };
    answer: KeyGroup;
  };
  /** Delete a key group */
  'DELETE /v3/policy-groups/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** List the API keys of a group */
  'GET /v3/policy-groups/{id}/api-keys': {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ApiKeyList;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}/api-keys': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Remove API keys or applications from a group (older form) */
  'DELETE /v3/policy-groups/{id}/api-keys': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** List the applications of a group */
  'GET /v3/policy-groups/{id}/applications': {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ApplicationList;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}/applications': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Remove API keys or applications from a group (older form) */
  'DELETE /v3/policy-groups/{id}/applications': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** List the users of a group */
  'GET /v3/policy-groups/{id}/users': {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: EmptyList;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}/api-keys/add': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}/applications/add': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Add API keys and applications to a group */
  'POST /v3/policy-groups/{id}/users/add': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Remove API keys and applications from a group */
  'POST /v3/policy-groups/{id}/api-keys/remove': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Remove API keys and applications from a group */
  'POST /v3/policy-groups/{id}/applications/remove': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** Remove API keys and applications from a group */
  'POST /v3/policy-groups/{id}/users/remove': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: KeyGroupMembers;
    };
    answer: KeyGroup;
  };
  /** List applications */
  'GET /v3/applications': {
    input: {
      query?: ApplicationFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ApplicationList;
  };
  /** Create an application */
  'POST /v3/applications': {
    input: {
      body: NewApplication;
    };
    answer: Application;
  };
  /** Show an application */
  'GET /v3/applications/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: Application;
  };
  /** Change an application */
  'PUT /v3/applications/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: ApplicationChange;
    };
    answer: Application;
  };
  /** Delete an application */
  'DELETE /v3/applications/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** List the groups of an application */
  'GET /v3/applications/{id}/groups': {
    input: {
      path: {
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: KeyGroupList;
  };
  /** Add an application to groups */
  'POST /v3/applications/{id}/groups/add': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: undefined;
  };
  /** Remove an application from groups */
  'POST /v3/applications/{id}/groups/remove': {
    input: {
      path: {
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: undefined;
  };
  /** List the access keys of an application */
  'GET /v3/applications/{application}/access-keys': {
    input: {
      path: {
        application: string;
      };
      query?: AccessKeyFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: AccessKeyList;
  };
  /** Create an access key */
  'POST /v3/applications/{application}/access-keys': {
    input: {
      path: {
        application: string;
      };
      body: NewAccessKey;
    };
    answer: AccessKey;
  };
  /** Show an access key of an application */
  'GET /v3/applications/{application}/access-keys/{id}': {
    input: {
      path: {
        application: string;
        id: string;
      };
    };
    answer: AccessKey;
  };
  /** Change an access key */
  'PUT /v3/applications/{application}/access-keys/{id}': {
    input: {
      path: {
        application: string;
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: AccessKeyChange;
    };
    answer: AccessKey;
  };
  /** Delete an access key */
  'DELETE /v3/applications/{application}/access-keys/{id}': {
    input: {
      path: {
        application: string;
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** List the access keys of all applications */
  'GET /v3/access-keys': {
    input: {
      query?: AccessKeyFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: AccessKeyList;
  };
  /** Show an access key */
  'GET /v3/access-keys/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: AccessKey;
  };
  /** List API keys of an account */
  'GET /v3/accounts/{account}/api-keys': {
    input: {
      path: {
        account: string;
      };
      query?: ApiKeyFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ApiKeyList;
  };
  /** Create an API key of an account */
  'POST /v3/accounts/{account}/api-keys': {
    input: {
      path: {
        account: string;
      };
      body: NewApiKey;
    };
    answer: ApiKey;
  };
  /** Show an API key of an account */
  'GET /v3/accounts/{account}/api-keys/{id}': {
    input: {
      path: {
        account: string;
        id: string;
      };
    };
    answer: ApiKey;
  };
  /** Change an API key of an account */
  'PUT /v3/accounts/{account}/api-keys/{id}': {
    input: {
      path: {
        account: string;
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: ApiKeyChange;
    };
    answer: ApiKey;
  };
  /** Delete an API key of an account */
  'DELETE /v3/accounts/{account}/api-keys/{id}': {
    input: {
      path: {
        account: string;
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Reset the secret of an API key of an account */
  'POST /v3/accounts/{account}/api-keys/{id}/reset-secret': {
    input: {
      path: {
        account: string;
        id: string;
      };
      body?: ApiKeyChange | null;
    };
    answer: ApiKey;
  };
  /** List the groups of an API key of an account */
  'GET /v3/accounts/{account}/api-keys/{id}/groups': {
    input: {
      path: {
        account: string;
        id: string;
      };
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: KeyGroupList;
  };
  /** Add an API key of an account to groups */
  'POST /v3/accounts/{account}/api-keys/{id}/groups/add': {
    input: {
      path: {
        account: string;
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** Remove an API key of an account from groups */
  'POST /v3/accounts/{account}/api-keys/{id}/groups/remove': {
    input: {
      path: {
        account: string;
        id: string;
      };
      body: KeyGroupIds;
    };
    answer: ApiKey;
  };
  /** List the accounts of the installation */
  'GET /v3/accounts': {
    input: {
      query?: AccountFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: AccountList;
  };
  /** Create an account */
  'POST /v3/accounts': {
    input: {
      body: NewAccount;
    };
    answer: CreatedAccount;
  };
  /** Show an account */
  'GET /v3/accounts/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: Account;
  };
  /** Change an account */
  'PUT /v3/accounts/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: AccountChange;
    };
    answer: Account;
  };
  /** Show the usage of an account */
  'GET /v3/accounts/{id}/usage': {
    input: {
      path: {
        id: string;
      };
    };
    answer: AccountUsage;
  };
  /** Explain a command, a device or an event */
  'GET /v3/explain': {
    input: {
      query?: {
        /** Entries before this time */
        before?: string;
        /** 1 to 200, default 50: the newest entries */
        limit?: number;
        uid?: string;
        /** Its id, or its endpoint name */
        device_id?: string;
        'async-id'?: string;
      };
    };
    answer: Explanation;
  };
  /** List devices */
  'GET /v3/devices': {
    input: {
      query?: DeviceFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceList;
  };
  /** Create a device */
  'POST /v3/devices': {
    input: {
      body: NewDevice;
    };
    answer: Device;
  };
  /** Export devices as CSV */
  'GET /v3/devices/export': {
    input: {
      query?: DeviceFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
      };
    };
    answer: string;
  };
  /** Show a device */
  'GET /v3/devices/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: Device;
  };
  /** Change a device */
  'PUT /v3/devices/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: DeviceChanges;
    };
    answer: Device;
  };
  /** Delete a device */
  'DELETE /v3/devices/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Suspend a device */
  'POST /v3/devices/{id}/suspend': {
    input: {
      path: {
        id: string;
      };
      body: SuspensionReason;
    };
    answer: undefined;
  };
  /** Resume a device */
  'POST /v3/devices/{id}/resume': {
    input: {
      path: {
        id: string;
      };
      body: SuspensionReason;
    };
    answer: undefined;
  };
  /** Suspend or resume many devices */
  'POST /v3/device-suspensions': {
    input: {
      body: BulkSuspension;
    };
    answer: BulkSuspensionOutcome;
  };
  /** List saved queries */
  'GET /v3/device-queries': {
    input: {
      query?: DeviceQueryFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceQueryList;
  };
  /** Save a query */
  'POST /v3/device-queries': {
    input: {
      body: NewDeviceQuery;
    };
    answer: DeviceQuery;
  };
  /** Show a saved query */
  'GET /v3/device-queries/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: DeviceQuery;
  };
  /** Change a saved query */
  'PUT /v3/device-queries/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: DeviceQueryChanges;
    };
    answer: DeviceQuery;
  };
  /** Delete a saved query */
  'DELETE /v3/device-queries/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** List the devices of a saved query */
  'GET /v3/device-queries/{id}/devices': {
    input: {
      path: {
        id: string;
      };
      query?: DeviceFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceList;
  };
  /** Import devices from CSV */
  'POST /v3/device-imports': {
    input: {
      query?: {
        name?: string;
      };
      body: string | Uint8Array;
    };
    answer: DeviceImport;
  };
  /** List imports */
  'GET /v3/device-imports': {
    input: {
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceImportList;
  };
  /** Show the progress of an import */
  'GET /v3/device-imports/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: DeviceImport;
  };
  /** Delete an import */
  'DELETE /v3/device-imports/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: undefined;
  };
  /** Download the error report of an import */
  'GET /v3/device-imports/{id}/errors': {
    input: {
      path: {
        id: string;
      };
    };
    answer: string;
  };
  /** List the suspension categories */
  'GET /v3/device-block-categories': {
    input: {
      query?: DeviceBlockCategoryFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceBlockCategoryList;
  };
  /** Show a suspension category */
  'GET /v3/device-block-categories/{reference}': {
    input: {
      path: {
        reference: string;
      };
    };
    answer: DeviceBlockCategory;
  };
  /** List device groups */
  'GET /v3/device-groups': {
    input: {
      query?: DeviceGroupFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceGroupList;
  };
  /** Create a device group */
  'POST /v3/device-groups': {
    input: {
      body: NewDeviceGroup;
    };
    answer: DeviceGroup;
  };
  /** Show a device group */
  'GET /v3/device-groups/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: DeviceGroup;
  };
  /** Change a device group */
  'PUT /v3/device-groups/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: DeviceGroupChanges;
    };
    answer: DeviceGroup;
  };
  /** Delete a device group */
  'DELETE /v3/device-groups/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Add a device to a group */
  'POST /v3/device-groups/{id}/devices/add': {
    input: {
      path: {
        id: string;
      };
      body: DeviceGroupMember;
    };
    answer: undefined;
  };
  /** Remove a device from a group */
  'POST /v3/device-groups/{id}/devices/remove': {
    input: {
      path: {
        id: string;
      };
      body: DeviceGroupMember;
    };
    answer: undefined;
  };
  /** List the devices of a group */
  'GET /v3/device-groups/{id}/devices': {
    input: {
      path: {
        id: string;
      };
      query?: DeviceFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceList;
  };
  /** List the credentials of a device */
  'GET /v3/devices/{id}/credentials': {
    input: {
      path: {
        id: string;
      };
      query?: DeviceCredentialFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceCredentialList;
  };
  /** Create a credential of a device */
  'POST /v3/devices/{id}/credentials': {
    input: {
      path: {
        id: string;
      };
      body: NewDeviceCredential;
    };
    answer: CreatedDeviceCredential;
  };
  /** Show a credential of a device */
  'GET /v3/devices/{id}/credentials/{credentialId}': {
    input: {
      path: {
        id: string;
        credentialId: string;
      };
    };
    answer: DeviceCredential;
  };
  /** Delete a credential of a device */
  'DELETE /v3/devices/{id}/credentials/{credentialId}': {
    input: {
      path: {
        id: string;
        credentialId: string;
      };
    };
    answer: undefined;
  };
  /** List trusted certificates */
  'GET /v3/trusted-certificates': {
    input: {
      query?: TrustedCertificateFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: TrustedCertificateList;
  };
  /** Create a trusted certificate */
  'POST /v3/trusted-certificates': {
    input: {
      body: NewTrustedCertificate;
    };
    answer: TrustedCertificate;
  };
  /** Show a trusted certificate */
  'GET /v3/trusted-certificates/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: TrustedCertificate;
  };
  /** Change a trusted certificate */
  'PUT /v3/trusted-certificates/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
      body: TrustedCertificateChanges;
    };
    answer: TrustedCertificate;
  };
  /** Delete a trusted certificate */
  'DELETE /v3/trusted-certificates/{id}': {
    input: {
      path: {
        id: string;
      };
      header?: {
        'If-Match'?: string;
      };
    };
    answer: undefined;
  };
  /** Send a command to a device */
  'POST /v2/device-requests/{deviceId}': {
    input: {
      path: {
        deviceId: string;
      };
      query: {
        /** Comes with the result. The same command for the same device while the first has not ended is the same command; later it is a new one */
        'async-id': string;
        /** Extra attempts; default 0, for devices in queue mode 2 */
        retry?: number;
        /** How long it may wait; default 7200, for devices in queue mode 259200 */
        'expiry-seconds'?: number;
        /** Seconds: the result in the answer, when the device is that quick; it goes to the channel too */
        wait?: number;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: {
        /** FETCH and IPATCH read and write several paths at once: uri `/`, the paths in a SenML payload */
        method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
        /** `/<object>/<instance>/<resource>`, write attributes as its query */
        uri: string;
        /** With FETCH: subscribes to the paths in the payload, which the device reports together. The key needs the permission `subscriptions` too */
        observe?: boolean;
        /** Media type wanted */
        accept?: string;
        /** Media type of the payload */
        'content-type'?: string;
        'payload-b64'?: string;
        /** How long the command may wait; the query parameter wins */
        expiry_seconds?: number;
        'expiry-seconds'?: number;
      };
    };
    answer: AsyncResponse | undefined;
  };
  /** List commands */
  'GET /v3/device-requests': {
    input: {
      query?: DeviceCommandFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceCommandList;
  };
  /** Show a command */
  'GET /v3/device-requests/{asyncId}': {
    input: {
      path: {
        asyncId: string;
      };
    };
    answer: DeviceCommand;
  };
  /** Cancel a command */
  'DELETE /v3/device-requests/{asyncId}': {
    input: {
      path: {
        asyncId: string;
      };
    };
    answer: undefined;
  };
  /** List registered devices
   * @deprecated */
  'GET /v2/endpoints': {
    input: {
      query?: {
        /** Endpoint type */
        type?: string;
      };
    };
    answer: Endpoint[];
  };
  /** List the resources of a device */
  'GET /v2/endpoints/{deviceId}': {
    input: {
      path: {
        deviceId: string;
      };
    };
    answer: EndpointResource[];
  };
  /** Read a resource */
  'GET /v2/endpoints/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
        /** Only a cached value: the device is not asked */
        cacheOnly?: boolean;
      };
    };
    answer: string | AsyncAccepted | undefined;
  };
  /** Write a resource */
  'PUT /v2/endpoints/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Execute a resource, or create an instance */
  'POST /v2/endpoints/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body?: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Delete an instance */
  'DELETE /v2/endpoints/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
    };
    answer: AsyncAccepted | undefined;
  };
  /** Read a resource */
  'GET /v2/endpoints/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
        /** Only a cached value: the device is not asked */
        cacheOnly?: boolean;
      };
    };
    answer: string | AsyncAccepted | undefined;
  };
  /** Write a resource */
  'PUT /v2/endpoints/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Execute a resource, or create an instance */
  'POST /v2/endpoints/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body?: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Delete an instance */
  'DELETE /v2/endpoints/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
    };
    answer: AsyncAccepted | undefined;
  };
  /** Read a resource */
  'GET /v2/endpoints/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
        /** Only a cached value: the device is not asked */
        cacheOnly?: boolean;
      };
    };
    answer: string | AsyncAccepted | undefined;
  };
  /** Write a resource */
  'PUT /v2/endpoints/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Execute a resource, or create an instance */
  'POST /v2/endpoints/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body?: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Delete an instance */
  'DELETE /v2/endpoints/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
    };
    answer: AsyncAccepted | undefined;
  };
  /** Read a resource */
  'GET /v2/endpoints/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
        /** Only a cached value: the device is not asked */
        cacheOnly?: boolean;
      };
    };
    answer: string | AsyncAccepted | undefined;
  };
  /** Write a resource */
  'PUT /v2/endpoints/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Execute a resource, or create an instance */
  'POST /v2/endpoints/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body?: string | Uint8Array;
    };
    answer: AsyncAccepted | undefined;
  };
  /** Delete an instance */
  'DELETE /v2/endpoints/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
      query?: {
        /** No asynchronous response */
        noResp?: boolean;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
    };
    answer: AsyncAccepted | undefined;
  };
  /** List the keys that have subscriptions */
  'GET /v3/key-subscriptions': {
    input: {
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: KeySubscriptionsList;
  };
  /** Show the subscriptions of a key */
  'GET /v3/key-subscriptions/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: KeySubscriptions;
  };
  /** Delete the subscriptions of a key */
  'DELETE /v3/key-subscriptions/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: undefined;
  };
  /** Upload an object definition */
  'POST /v3/object-models': {
    input: {
      body: string | Uint8Array;
    };
    answer: ObjectModel;
  };
  /** List object definitions */
  'GET /v3/object-models': {
    input: {
      query?: ObjectModelFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: ObjectModelList;
  };
  /** Show an object definition */
  'GET /v3/object-models/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: ObjectModel;
  };
  /** Delete an object definition */
  'DELETE /v3/object-models/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: undefined;
  };
  /** List presubscription rules */
  'GET /v2/subscriptions': {
    input: {};
    answer: {
      /** Device id or endpoint name; may end in * */
      'endpoint-name'?: string;
      'endpoint-type'?: string;
      'resource-path'?: string[];
    }[];
  };
  /** Replace the presubscription rules */
  'PUT /v2/subscriptions': {
    input: {
      body: {
        /** Device id or endpoint name; may end in * */
        'endpoint-name'?: string;
        'endpoint-type'?: string;
        'resource-path'?: string[];
      }[];
    };
    answer: undefined;
  };
  /** Delete the presubscription rules */
  'DELETE /v2/subscriptions': { input: {}; answer: undefined };
  /** List the subscriptions to a device */
  'GET /v2/subscriptions/{deviceId}': {
    input: {
      path: {
        deviceId: string;
      };
    };
    answer: string;
  };
  /** Delete all subscriptions to a device */
  'DELETE /v2/subscriptions/{deviceId}': {
    input: {
      path: {
        deviceId: string;
      };
    };
    answer: undefined;
  };
  /** Subscribe to a resource */
  'PUT /v2/subscriptions/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
    };
    answer: AsyncAccepted;
  };
  /** Show a subscription */
  'GET /v2/subscriptions/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
    };
    answer: undefined;
  };
  /** Delete a subscription */
  'DELETE /v2/subscriptions/{deviceId}/{object}': {
    input: {
      path: {
        deviceId: string;
        object: number;
      };
    };
    answer: undefined;
  };
  /** Subscribe to a resource */
  'PUT /v2/subscriptions/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
    };
    answer: AsyncAccepted;
  };
  /** Show a subscription */
  'GET /v2/subscriptions/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
    };
    answer: undefined;
  };
  /** Delete a subscription */
  'DELETE /v2/subscriptions/{deviceId}/{object}/{instance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
      };
    };
    answer: undefined;
  };
  /** Subscribe to a resource */
  'PUT /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
    };
    answer: AsyncAccepted;
  };
  /** Show a subscription */
  'GET /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
    };
    answer: undefined;
  };
  /** Delete a subscription */
  'DELETE /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
      };
    };
    answer: undefined;
  };
  /** Subscribe to a resource */
  'PUT /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
    };
    answer: AsyncAccepted;
  };
  /** Show a subscription */
  'GET /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
    };
    answer: undefined;
  };
  /** Delete a subscription */
  'DELETE /v2/subscriptions/{deviceId}/{object}/{instance}/{resource}/{resourceInstance}': {
    input: {
      path: {
        deviceId: string;
        object: number;
        instance: number;
        resource: number;
        resourceInstance: number;
      };
    };
    answer: undefined;
  };
  /** Show the state snapshot of a device */
  'GET /v3/devices/{deviceId}/echo': {
    input: {
      path: {
        deviceId: string;
      };
    };
    answer: DeviceEcho;
  };
  /** Delete the state snapshot of a device (not available) */
  'DELETE /v3/devices/{deviceId}/echo': {
    input: {
      path: {
        deviceId: string;
      };
    };
    answer: never;
  };
  /** List device events */
  'GET /v3/device-events': {
    input: {
      query?: DeviceEventFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceEventList;
  };
  /** List device events */
  'GET /v3/devicelog': {
    input: {
      query?: DeviceEventFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceEventList;
  };
  /** Show a device event */
  'GET /v3/device-events/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: DeviceEvent;
  };
  /** Show a device event */
  'GET /v3/devicelog/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: DeviceEvent;
  };
  /** List the codes of device events */
  'GET /v3/device-event-codes': {
    input: {
      query?: DeviceEventCodeFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. Given several times, all hold */
        filter?: string;
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceEventCodeList;
  };
  /** Show a code of device events */
  'GET /v3/device-event-codes/{code}': {
    input: {
      path: {
        code: string;
      };
    };
    answer: DeviceEventCode;
  };
  /** Show the kind of the channel */
  'GET /v2/notification/channel': { input: {}; answer: ChannelKind };
  /** Register the callback */
  'PUT /v2/notification/callback': {
    input: {
      body: {
        /** Read-only: accepted with its present value */
        queue_size?: number | null;
        /** Read-only: accepted with its present value */
        queue_bytes?: number | null;
        /** Read-only: accepted with its present value */
        oldest?: string | null;
        /** Read-only: accepted with its present value */
        dropped?: {
          size: number;
          age: number;
          failed: number;
        } | null;
        /** Read-only: accepted with its present value */
        failures?: number | null;
        /** Read-only: accepted with its present value */
        failing_since?: string | null;
        /** Read-only: accepted with its present value */
        stopped?: 'key_reset' | 'key_revoked' | null;
        url: string;
        headers?: Record<string, string> | null;
        serialization?: {
          type?: 'v2';
          max_chunk_size?: number | string;
          cfg?: {
            include_uid?: boolean | 'true' | 'false';
            include_timestamp?: boolean | 'true' | 'false';
            include_original_ep?: boolean | 'true' | 'false';
            deregistrations_as_object?: boolean | 'true' | 'false';
            use_endpoint_name?: boolean | 'true' | 'false';
          };
        } | null;
      };
    };
    answer: CallbackChannel;
  };
  /** Show the callback */
  'GET /v2/notification/callback': { input: {}; answer: CallbackChannel };
  /** Delete the callback */
  'DELETE /v2/notification/callback': { input: {}; answer: undefined };
  /** Register the WebSocket channel */
  'PUT /v2/notification/websocket': {
    input: {
      body?: {
        /** Read-only: accepted with its present value */
        status?: 'connected' | 'disconnected' | null;
        /** Read-only: accepted with its present value */
        queue_size?: number | null;
        /** Read-only: accepted with its present value */
        queue_bytes?: number | null;
        /** Read-only: accepted with its present value */
        oldest?: string | null;
        /** Read-only: accepted with its present value */
        dropped?: {
          size: number;
          age: number;
          failed: number;
        } | null;
        serialization?: {
          type?: 'v2';
          max_chunk_size?: number | string;
          cfg?: {
            include_uid?: boolean | 'true' | 'false';
            include_timestamp?: boolean | 'true' | 'false';
            include_original_ep?: boolean | 'true' | 'false';
            deregistrations_as_object?: boolean | 'true' | 'false';
            use_endpoint_name?: boolean | 'true' | 'false';
          };
        } | null;
      } | null;
    };
    answer: WebSocketChannel;
  };
  /** Show the WebSocket channel */
  'GET /v2/notification/websocket': { input: {}; answer: WebSocketChannel };
  /** Delete the WebSocket channel */
  'DELETE /v2/notification/websocket': { input: {}; answer: undefined };
  /** Create a signing secret */
  'POST /v2/notification/callback/signing-secrets': { input: {}; answer: CreatedSigningSecret };
  /** List signing secrets */
  'GET /v2/notification/callback/signing-secrets': {
    input: {
      query?: {
        /** `total_count`: how many there are on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the page before; it may be deleted by now */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: SigningSecretList;
  };
  /** Delete a signing secret */
  'DELETE /v2/notification/callback/signing-secrets/{id}': {
    input: {
      path: {
        id: string;
      };
    };
    answer: undefined;
  };
  /** Poll for events
   * @deprecated */
  'GET /v2/notification/pull': {
    input: {
      query?: {
        /** The last answer that arrived, as its Link header (rel="next") says; 0: none yet. What was delivered behind it is delivered again. Without it, a poll confirms whatever was delivered last */
        after?: string;
        /** Answer at once */
        noWait?: boolean;
      };
    };
    answer: NotificationMessage | undefined;
  };
  /** Register or configure the pull channel
   * @deprecated */
  'PUT /v2/notification/pull': {
    input: {
      body?: {
        /** Read-only: accepted with its present value */
        queue_size?: number | null;
        /** Read-only: accepted with its present value */
        queue_bytes?: number | null;
        /** Read-only: accepted with its present value */
        oldest?: string | null;
        /** Read-only: accepted with its present value */
        dropped?: {
          size: number;
          age: number;
          failed: number;
        } | null;
        serialization?: {
          type?: 'v2';
          max_chunk_size?: number | string;
          cfg?: {
            include_uid?: boolean | 'true' | 'false';
            include_timestamp?: boolean | 'true' | 'false';
            include_original_ep?: boolean | 'true' | 'false';
            deregistrations_as_object?: boolean | 'true' | 'false';
            use_endpoint_name?: boolean | 'true' | 'false';
          };
        } | null;
      } | null;
    };
    answer: PullChannel;
  };
  /** Delete the pull channel
   * @deprecated */
  'DELETE /v2/notification/pull': { input: {}; answer: string };
}
