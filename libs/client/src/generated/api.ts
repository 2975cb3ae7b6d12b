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
  /** The whole key only in the responses to create and reset-secret; otherwise without its secret part */
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
  /** The key is refused from this time on */
  expiration?: string;
  /** During the overlap of a rotation: when the previous secret stops being valid */
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
  /** Read-only: accepted only with its current value */
  object?: 'api-key' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  key?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  creation_time?: number | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  previous_secret_expires_at?: string | null;
  /** Read-only: accepted only with its current value */
  last_used_at?: string | null;
  /** Read-only: accepted only with its current value */
  last_login_time?: number | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  name?: string;
  groups?: string[];
  owner?: string | null;
  /** null: never */
  expiration?: string | null;
  /** EXPIRED is accepted and changes nothing: `expiration` determines when a key expires */
  status?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
}

export interface ApiKeyRotation {
  /** How long the previous secret stays valid after the rotation */
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
  /** Permissions that the group grants to its keys; `devices` includes its parts */
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
  /** Read-only: accepted only with its current value */
  object?: 'group' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  apikey_count?: number | null;
  /** Read-only: accepted only with its current value */
  user_count?: number | null;
  /** Read-only: accepted only with its current value */
  application_count?: number | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
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
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface NewApplication {
  name: string;
  description?: string | null;
  status?: 'ACTIVE' | 'INACTIVE';
  groups?: string[];
}

export interface ApplicationChange {
  /** Read-only: accepted only with its current value */
  object?: 'application' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  last_used_at?: string | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
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
  /** The key is refused from this time on */
  expiration?: string;
  /** The whole key only in the response to create; otherwise without its secret part */
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
  /** Read-only: accepted only with its current value */
  object?: 'access-key' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  application_id?: string | null;
  /** Read-only: accepted only with its current value */
  key?: string | null;
  /** Read-only: accepted only with its current value */
  last_used_at?: string | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  /** EXPIRED is accepted and changes nothing: `expiration` determines when a key expires */
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
  /** The account of the installation; absent on that account itself */
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
  /** Quotas that are set, of devices, api_keys, applications, requests_per_second */
  limits: Record<string, string>;
  policies: {
    feature: string;
    allow: boolean;
  }[];
  /** The first contact of an unknown endpoint creates its device */
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
  /** Quotas; null removes one, omitted ones keep their value */
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
  /** The account of the installation; absent on that account itself */
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
  /** Quotas that are set, of devices, api_keys, applications, requests_per_second */
  limits: Record<string, string>;
  policies: {
    feature: string;
    allow: boolean;
  }[];
  /** The first contact of an unknown endpoint creates its device */
  auto_create_devices: boolean;
  /** PUT /v2/subscriptions answers 204 instead of 202, as some clients of the original service expect */
  presubscriptions_no_content: boolean;
  created_at: string;
  updated_at: string;
  etag: string;
  /** The whole first administrator key; only this response contains it */
  admin_key: string;
  admin_key_id: string;
}

export interface AccountChange {
  /** Read-only: accepted only with its current value */
  object?: 'account' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  parent_id?: string | null;
  /** Read-only: accepted only with its current value */
  end_market?: string | null;
  /** Read-only: accepted only with its current value */
  aliases?: string[] | null;
  /** Read-only: accepted only with its current value */
  policies?:
    | {
        feature: string;
        allow: boolean;
      }[]
    | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
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
  /** Quotas; null removes one, omitted ones keep their value */
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
  /** Has no `used`: the limit is enforced, but usage is not reported */
  requests_per_second: {
    /** For all keys of the account together */
    limit: number;
  };
  /** When the usage was counted */
  created_at: string;
}

export interface Explanation {
  object: 'explanation';
  subject: {
    type: 'command' | 'device' | 'event';
    id: string;
  };
  /** What must happen next, as a sentence */
  waits_for: string;
  /** Oldest first */
  timeline: TimelineEntry[];
  limit: number;
  /** Older entries exist: repeat the request with `before` set to the first `at` */
  has_more: boolean;
  /** Services whose entries are missing, because the key lacks the permission or the service did not answer */
  left_out: {
    service: 'registry' | 'device-proxy' | 'event-log' | 'snapshot' | 'dispatcher';
    reason: string;
  }[];
}

export interface TimelineEntry {
  /** ISO 8601 with microseconds */
  at: string;
  /** The service that recorded it */
  service: 'registry' | 'device-proxy' | 'event-log' | 'snapshot' | 'dispatcher';
  /** Machine-readable, for example command.accepted */
  what: string;
  /** Human-readable */
  text: string;
  facts: Record<string, unknown>;
}

export interface ErrorBody {
  object: 'error';
  /** The HTTP status */
  code: number;
  /** Machine-readable: validation_error, not_found, … */
  type: string;
  /** Human-readable: what is wrong and what to do */
  message: string;
  /** Identifies the request in the logs of all services */
  request_id: string;
  fields?: {
    name: string;
    message: string;
  }[];
}

/** A single token, for example DEVICE_NOT_FOUND; with Accept: application/json, the error object instead */
export type ErrorToken = string;

export interface ApiKeyFilters {
  key?: string;
  key__eq?: string;
  key__neq?: string;
  /** Comma-separated values */
  key__in?: string;
  /** Comma-separated values */
  key__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  owner?: string;
  owner__eq?: string;
  owner__neq?: string;
  /** Comma-separated values */
  owner__in?: string;
  /** Comma-separated values */
  owner__nin?: string;
}

export interface KeyGroupFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
}

export interface ApplicationFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE';
  status__eq?: 'ACTIVE' | 'INACTIVE';
  status__neq?: 'ACTIVE' | 'INACTIVE';
  /** Comma-separated values */
  status__in?: string;
  /** Comma-separated values */
  status__nin?: string;
}

export interface AccessKeyFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  application_id?: string;
  application_id__eq?: string;
  application_id__neq?: string;
  /** Comma-separated values */
  application_id__in?: string;
  /** Comma-separated values */
  application_id__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  status__eq?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  status__neq?: 'ACTIVE' | 'INACTIVE' | 'EXPIRED';
  /** Comma-separated values */
  status__in?: string;
  /** Comma-separated values */
  status__nin?: string;
}

export interface AccountFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  display_name?: string;
  display_name__eq?: string;
  display_name__neq?: string;
  /** Comma-separated values */
  display_name__in?: string;
  /** Comma-separated values */
  display_name__nin?: string;
  status?: 'ACTIVE' | 'SUSPENDED';
  status__eq?: 'ACTIVE' | 'SUSPENDED';
  status__neq?: 'ACTIVE' | 'SUSPENDED';
  /** Comma-separated values */
  status__in?: string;
  /** Comma-separated values */
  status__nin?: string;
  tier?: '0' | '1';
  tier__eq?: '0' | '1';
  tier__neq?: '0' | '1';
  /** Comma-separated values */
  tier__in?: string;
  /** Comma-separated values */
  tier__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
}

export interface DeviceList {
  object: 'list';
  data: Device[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface Device {
  object: 'device';
  id: string;
  account_id: string;
  /** Version of the record; changes with `updated_at` */
  etag: string;
  created_at: string;
  /** When an operator or the system last changed the record. What the device itself reports (`state`, `bootstrapped_timestamp`, an `endpoint_type` that was not set) and its `groups` do not affect it */
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
  /** Read-only: accepted only with its current value */
  object?: 'device' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  device_class?: string | null;
  /** Read-only: accepted only with its current value */
  serial_number?: string | null;
  /** Read-only: accepted only with its current value */
  vendor_id?: string | null;
  /** Read-only: accepted only with its current value */
  net_id?: string | null;
  /** Read-only: accepted only with its current value */
  state?: string | null;
  /** Read-only: accepted only with its current value */
  lifecycle_status?: 'enabled' | 'blocked' | null;
  /** Read-only: accepted only with its current value */
  operator_suspended?: boolean | null;
  /** Read-only: accepted only with its current value */
  system_suspended?: boolean | null;
  /** Read-only: accepted only with its current value */
  last_operator_suspended_category?: string | null;
  /** Read-only: accepted only with its current value */
  last_operator_suspended_description?: string | null;
  /** Read-only: accepted only with its current value */
  last_operator_suspended_updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  last_system_suspended_category?: string | null;
  /** Read-only: accepted only with its current value */
  last_system_suspended_description?: string | null;
  /** Read-only: accepted only with its current value */
  last_system_suspended_updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  mechanism?: string | null;
  /** Read-only: accepted only with its current value */
  mechanism_url?: string | null;
  /** Read-only: accepted only with its current value */
  device_execution_mode?: number | null;
  /** Read-only: accepted only with its current value */
  deployed_state?: string | null;
  /** Read-only: accepted only with its current value */
  deployment?: string | null;
  /** Read-only: accepted only with its current value */
  bootstrapped_timestamp?: string | null;
  /** Read-only: accepted only with its current value */
  enrolment_list_timestamp?: string | null;
  /** Read-only: accepted only with its current value */
  manifest_timestamp?: string | null;
  /** Read-only: accepted only with its current value */
  bootstrap_expiration_date?: string | null;
  /** Read-only: accepted only with its current value */
  connector_expiration_date?: string | null;
  /** Read-only: accepted only with its current value */
  manifest?: string | null;
  /** Read-only: accepted only with its current value */
  firmware_checksum?: string | null;
  /** Read-only: accepted only with its current value */
  issuer_fingerprint?: string | null;
  /** Read-only: accepted only with its current value */
  component_attributes?: Record<string, string> | null;
  /** Read-only: accepted only with its current value */
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

export interface DeviceCredentialList {
  object: 'list';
  data: DeviceCredential[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface DeviceCredential {
  object: 'device-credential';
  id: string;
  device_id: string;
  kind: 'psk' | 'certificate';
  /** For a pre-shared key */
  identity: string | null;
  /** For a certificate: SHA-256 of its DER encoding */
  fingerprint: string | null;
  subject: string | null;
  /** For a certificate: when it expires */
  expires_at: string | null;
  created_at: string;
}

export type NewDeviceCredential =
  | {
      kind: 'psk';
      /** Generated when omitted. Otherwise the device must present `<account id>:<identity>`, which the response contains, so that identities of different accounts never collide */
      identity?: string;
      /** In hex; generated when omitted */
      key?: string;
    }
  | {
      kind: 'certificate';
      /** PEM. The private key stays on the device */
      certificate: string;
    };

export interface CreatedDeviceCredential {
  object: 'device-credential';
  id: string;
  device_id: string;
  kind: 'psk' | 'certificate';
  /** For a pre-shared key */
  identity: string | null;
  /** For a certificate: SHA-256 of its DER encoding */
  fingerprint: string | null;
  subject: string | null;
  /** For a certificate: when it expires */
  expires_at: string | null;
  created_at: string;
  /** The pre-shared key in hex; only this response contains it */
  key?: string;
}

export interface TrustedCertificateList {
  object: 'list';
  data: TrustedCertificate[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface TrustedCertificate {
  object: 'trusted-cert';
  id: string;
  account_id: string;
  name: string;
  description: string;
  service: 'lwm2m';
  /** INACTIVE: devices with its certificates are disconnected and refused, as if the authority were not trusted */
  status: 'ACTIVE' | 'INACTIVE';
  /** Whether the account has proved by a signature that it owns the authority */
  verified: boolean;
  /** Whether an unknown device is created when it first presents a certificate of this authority */
  enrollment_mode: boolean;
  certificate: string;
  /** SHA-256 of the DER encoding */
  certificate_fingerprint: string;
  subject: string;
  issuer: string;
  /** When the certificate expires */
  validity: string;
  /** False once the certificate has expired */
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
  /** Whether an unknown device is created when it first presents a certificate of this authority */
  enrollment_mode?: boolean;
  name?: string;
  description?: string | null;
  service?: 'lwm2m';
  /** Default: ACTIVE with a signature, INACTIVE without */
  status?: 'ACTIVE' | 'INACTIVE';
}

export interface TrustedCertificateChanges {
  /** Read-only: accepted only with its current value */
  object?: 'trusted-cert' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  account_id?: string | null;
  /** Read-only: accepted only with its current value */
  service?: 'lwm2m' | null;
  /** Read-only: accepted only with its current value */
  verified?: boolean | null;
  /** Read-only: accepted only with its current value */
  certificate?: string | null;
  /** Read-only: accepted only with its current value */
  certificate_fingerprint?: string | null;
  /** Read-only: accepted only with its current value */
  subject?: string | null;
  /** Read-only: accepted only with its current value */
  issuer?: string | null;
  /** Read-only: accepted only with its current value */
  validity?: string | null;
  /** Read-only: accepted only with its current value */
  valid?: boolean | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  /** Whether an unknown device is created when it first presents a certificate of this authority */
  enrollment_mode?: boolean;
  name?: string;
  description?: string | null;
  /** INACTIVE: devices with its certificates are disconnected and refused, as if the authority were not trusted */
  status?: 'ACTIVE' | 'INACTIVE';
  /** The account id, signed with the private key of the certificate (SHA-256; DER for ECDSA). Without it the certificate stays INACTIVE */
  signature?: string | null;
  /** Serial numbers (hex) of revoked certificates below this authority, of devices or of intermediate authorities. Replaces the previous list; devices that are connected with a revoked certificate are disconnected and their registrations end */
  revoked_serials?: string[];
}

export interface DeviceGroupList {
  object: 'list';
  data: DeviceGroup[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
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

/** Additional top-level keys are custom attributes */
export type NewDeviceGroup = {
  name: string;
  description?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
} & Record<string, unknown>;

export interface DeviceGroupChanges {
  /** Read-only: accepted only with its current value */
  object?: 'device-group' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  devices_count?: number | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  custom_attributes?: Record<string, string | number | boolean>;
}

export interface DeviceGroupMember {
  device_id?: string;
  id?: string;
}

export interface DeviceQueryList {
  object: 'list';
  data: DeviceQuery[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
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
  /** Filters of the device list, in the form of `filter`: `state=registered&name__neq=a` */
  query: string;
}

export interface DeviceQueryChanges {
  /** Read-only: accepted only with its current value */
  object?: 'device-query' | null;
  /** Read-only: accepted only with its current value */
  id?: string | null;
  /** Read-only: accepted only with its current value */
  created_at?: string | null;
  /** Read-only: accepted only with its current value */
  updated_at?: string | null;
  /** Read-only: accepted only with its current value */
  etag?: string | null;
  name?: string;
  description?: string | null;
  /** Filters of the device list, in the form of `filter`: `state=registered&name__neq=a` */
  query?: string;
}

export interface SuspensionReason {
  category: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description?: string;
}

export interface BulkSuspension {
  action: 'suspend' | 'resume';
  category: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description?: string;
  /** Selects the devices of this device group */
  group_id?: string;
  /** Selects the devices that match these filters of the device list */
  filter?: string;
  /** Only count; change nothing */
  dry_run?: boolean;
  /** `after` of the previous response, while `has_more` is true */
  after?: string;
}

export interface BulkSuspensionOutcome {
  object: 'device-suspension';
  action: 'suspend' | 'resume';
  dry_run: boolean;
  matched_count: number;
  /** The others already had the wanted state */
  changed_count: number;
  after: string | null;
  /** More devices remain: call again with `after`. One call covers 5,000 devices */
  has_more: boolean;
}

export interface DeviceBlockCategoryList {
  object: 'list';
  data: DeviceBlockCategory[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface DeviceBlockCategory {
  object: 'device-block-category';
  reference: 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  description: string;
  updated_at: string;
}

export interface DeviceImport {
  object: 'device-import';
  id: string;
  name: string;
  status: 'uploading' | 'new' | 'processing' | 'completed';
  /** `account_resumed`: the account is suspended, and the import resumes automatically when the account is resumed */
  waits_for: 'account_resumed' | null;
  /** Rows after the header */
  total_count: number;
  processed_count: number;
  /** Rows that created no device */
  errors_count: number;
  /** Path of the error report, with one line per problem */
  errors_report_file: string;
  created_at: string;
  completed_at: string | null;
  etag: string;
}

export interface DeviceImportList {
  object: 'list';
  data: DeviceImport[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface DeviceFilters {
  account_id?: string;
  account_id__eq?: string;
  account_id__neq?: string;
  /** Comma-separated values */
  account_id__in?: string;
  /** Comma-separated values */
  account_id__nin?: string;
  ca_id?: string;
  ca_id__eq?: string;
  ca_id__neq?: string;
  /** Comma-separated values */
  ca_id__in?: string;
  /** Comma-separated values */
  ca_id__nin?: string;
  deployed_state?: '' | 'development' | 'production';
  deployed_state__eq?: '' | 'development' | 'production';
  deployed_state__neq?: '' | 'development' | 'production';
  /** Comma-separated values */
  deployed_state__in?: string;
  /** Comma-separated values */
  deployed_state__nin?: string;
  deployment?: string;
  deployment__eq?: string;
  deployment__neq?: string;
  /** Comma-separated values */
  deployment__in?: string;
  /** Comma-separated values */
  deployment__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Comma-separated values */
  description__in?: string;
  /** Comma-separated values */
  description__nin?: string;
  device_class?: string;
  device_class__eq?: string;
  device_class__neq?: string;
  /** Comma-separated values */
  device_class__in?: string;
  /** Comma-separated values */
  device_class__nin?: string;
  device_key?: string;
  device_key__eq?: string;
  device_key__neq?: string;
  /** Comma-separated values */
  device_key__in?: string;
  /** Comma-separated values */
  device_key__nin?: string;
  endpoint_name?: string;
  endpoint_name__eq?: string;
  endpoint_name__neq?: string;
  /** Comma-separated values */
  endpoint_name__in?: string;
  /** Comma-separated values */
  endpoint_name__nin?: string;
  endpoint_type?: string;
  endpoint_type__eq?: string;
  endpoint_type__neq?: string;
  /** Comma-separated values */
  endpoint_type__in?: string;
  /** Comma-separated values */
  endpoint_type__nin?: string;
  firmware_checksum?: string;
  firmware_checksum__eq?: string;
  firmware_checksum__neq?: string;
  /** Comma-separated values */
  firmware_checksum__in?: string;
  /** Comma-separated values */
  firmware_checksum__nin?: string;
  host_gateway?: string;
  host_gateway__eq?: string;
  host_gateway__neq?: string;
  /** Comma-separated values */
  host_gateway__in?: string;
  /** Comma-separated values */
  host_gateway__nin?: string;
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  lifecycle_status?: 'enabled' | 'blocked';
  lifecycle_status__eq?: 'enabled' | 'blocked';
  lifecycle_status__neq?: 'enabled' | 'blocked';
  /** Comma-separated values */
  lifecycle_status__in?: string;
  /** Comma-separated values */
  lifecycle_status__nin?: string;
  manifest?: string;
  manifest__eq?: string;
  manifest__neq?: string;
  /** Comma-separated values */
  manifest__in?: string;
  /** Comma-separated values */
  manifest__nin?: string;
  mechanism?: 'connector' | 'direct';
  mechanism__eq?: 'connector' | 'direct';
  mechanism__neq?: 'connector' | 'direct';
  /** Comma-separated values */
  mechanism__in?: string;
  /** Comma-separated values */
  mechanism__nin?: string;
  mechanism_url?: string;
  mechanism_url__eq?: string;
  mechanism_url__neq?: string;
  /** Comma-separated values */
  mechanism_url__in?: string;
  /** Comma-separated values */
  mechanism_url__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  net_id?: string;
  net_id__eq?: string;
  net_id__neq?: string;
  /** Comma-separated values */
  net_id__in?: string;
  /** Comma-separated values */
  net_id__nin?: string;
  serial_number?: string;
  serial_number__eq?: string;
  serial_number__neq?: string;
  /** Comma-separated values */
  serial_number__in?: string;
  /** Comma-separated values */
  serial_number__nin?: string;
  state?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  state__eq?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  state__neq?: 'unenrolled' | 'cloud_enrolling' | 'bootstrapped' | 'registered' | 'deregistered';
  /** Comma-separated values */
  state__in?: string;
  /** Comma-separated values */
  state__nin?: string;
  vendor_id?: string;
  vendor_id__eq?: string;
  vendor_id__neq?: string;
  /** Comma-separated values */
  vendor_id__in?: string;
  /** Comma-separated values */
  vendor_id__nin?: string;
  last_operator_suspended_category?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_operator_suspended_category__eq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_operator_suspended_category__neq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  /** Comma-separated values */
  last_operator_suspended_category__in?: string;
  /** Comma-separated values */
  last_operator_suspended_category__nin?: string;
  last_system_suspended_category?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_system_suspended_category__eq?: '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  last_system_suspended_category__neq?:
    '' | 'maintenance' | 'lost_or_stolen' | 'recalled' | 'security_breach' | 'other';
  /** Comma-separated values */
  last_system_suspended_category__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Comma-separated values */
  updated_at__in?: string;
  /** Comma-separated values */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__eq?: string;
  /** Comma-separated values */
  bootstrapped_timestamp__in?: string;
  /** Comma-separated values */
  bootstrapped_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrapped_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__eq?: string;
  /** Comma-separated values */
  bootstrap_expiration_date__in?: string;
  /** Comma-separated values */
  bootstrap_expiration_date__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  bootstrap_expiration_date__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__eq?: string;
  /** Comma-separated values */
  connector_expiration_date__in?: string;
  /** Comma-separated values */
  connector_expiration_date__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  connector_expiration_date__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__eq?: string;
  /** Comma-separated values */
  enrolment_list_timestamp__in?: string;
  /** Comma-separated values */
  enrolment_list_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  enrolment_list_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__eq?: string;
  /** Comma-separated values */
  manifest_timestamp__in?: string;
  /** Comma-separated values */
  manifest_timestamp__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  manifest_timestamp__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__eq?: string;
  /** Comma-separated values */
  last_operator_suspended_updated_at__in?: string;
  /** Comma-separated values */
  last_operator_suspended_updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_operator_suspended_updated_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__eq?: string;
  /** Comma-separated values */
  last_system_suspended_updated_at__in?: string;
  /** Comma-separated values */
  last_system_suspended_updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  last_system_suspended_updated_at__gte?: string;
  device_execution_mode?: 0 | 1 | 5;
  device_execution_mode__eq?: 0 | 1 | 5;
  device_execution_mode__neq?: 0 | 1 | 5;
  /** Comma-separated values */
  device_execution_mode__in?: string;
  /** Comma-separated values */
  device_execution_mode__nin?: string;
  device_execution_mode__lte?: 0 | 1 | 5;
  device_execution_mode__gte?: 0 | 1 | 5;
  groups?: string;
  groups__eq?: string;
  groups__neq?: string;
  /** Comma-separated values */
  groups__in?: string;
  /** Comma-separated values */
  groups__nin?: string;
  [name: `custom_attributes__${string}`]: string | undefined;
  [name: `component_attributes__${string}`]: string | undefined;
}

export interface DeviceCredentialFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  kind?: 'psk' | 'certificate';
  kind__eq?: 'psk' | 'certificate';
  kind__neq?: 'psk' | 'certificate';
  /** Comma-separated values */
  kind__in?: string;
  /** Comma-separated values */
  kind__nin?: string;
  identity?: string;
  identity__eq?: string;
  identity__neq?: string;
  /** Comma-separated values */
  identity__in?: string;
  /** Comma-separated values */
  identity__nin?: string;
  fingerprint?: string;
  fingerprint__eq?: string;
  fingerprint__neq?: string;
  /** Comma-separated values */
  fingerprint__in?: string;
  /** Comma-separated values */
  fingerprint__nin?: string;
  subject?: string;
  subject__eq?: string;
  subject__neq?: string;
  /** Comma-separated values */
  subject__in?: string;
  /** Comma-separated values */
  subject__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__eq?: string;
  /** Comma-separated values */
  expires_at__in?: string;
  /** Comma-separated values */
  expires_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  expires_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Comma-separated values */
  description__in?: string;
  /** Comma-separated values */
  description__nin?: string;
  service?: 'lwm2m';
  service__eq?: 'lwm2m';
  service__neq?: 'lwm2m';
  /** Comma-separated values */
  service__in?: string;
  /** Comma-separated values */
  service__nin?: string;
  status?: 'ACTIVE' | 'INACTIVE';
  status__eq?: 'ACTIVE' | 'INACTIVE';
  status__neq?: 'ACTIVE' | 'INACTIVE';
  /** Comma-separated values */
  status__in?: string;
  /** Comma-separated values */
  status__nin?: string;
  subject?: string;
  subject__eq?: string;
  subject__neq?: string;
  /** Comma-separated values */
  subject__in?: string;
  /** Comma-separated values */
  subject__nin?: string;
  issuer?: string;
  issuer__eq?: string;
  issuer__neq?: string;
  /** Comma-separated values */
  issuer__in?: string;
  /** Comma-separated values */
  issuer__nin?: string;
  certificate_fingerprint?: string;
  certificate_fingerprint__eq?: string;
  certificate_fingerprint__neq?: string;
  /** Comma-separated values */
  certificate_fingerprint__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  validity__in?: string;
  /** Comma-separated values */
  validity__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  validity__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Comma-separated values */
  updated_at__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  devices_count?: number;
  devices_count__eq?: number;
  devices_count__neq?: number;
  /** Comma-separated values */
  devices_count__in?: string;
  /** Comma-separated values */
  devices_count__nin?: string;
  devices_count__lte?: number;
  devices_count__gte?: number;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Comma-separated values */
  updated_at__in?: string;
  /** Comma-separated values */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
  [name: `custom_attributes__${string}`]: string | undefined;
}

export interface DeviceQueryFilters {
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  query?: string;
  query__eq?: string;
  query__neq?: string;
  /** Comma-separated values */
  query__in?: string;
  /** Comma-separated values */
  query__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Comma-separated values */
  updated_at__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  reference__in?: string;
  /** Comma-separated values */
  reference__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__eq?: string;
  /** Comma-separated values */
  updated_at__in?: string;
  /** Comma-separated values */
  updated_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  updated_at__gte?: string;
}

export interface KeySubscriptionsList {
  object: 'list';
  data: KeySubscriptions[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface KeySubscriptions {
  /** Id of the API key or application */
  id: string;
  object: 'key-subscriptions';
  /** Its presubscription rules, in order */
  presubscriptions: {
    /** Device id or endpoint name; may end in * */
    'endpoint-name'?: string;
    'endpoint-type'?: string;
    'resource-path'?: string[];
  }[];
  /** Number of subscribed resources, over all devices */
  subscriptions_count: number;
  /** Number of devices to which it is subscribed */
  devices_count: number;
}

export interface AsyncAccepted {
  'async-response-id': string;
}

export interface DeviceCommandList {
  object: 'list';
  data: DeviceCommand[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
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
  /** How many times the command was sent to the device */
  attempts: number;
  attempted_at: string | null;
  created_at: string;
  expires_at: string;
  finished_at: string | null;
  /** Status of the asynchronous response */
  status: number | null;
  /** Error of the asynchronous response, for example NOT_CONNECTED */
  error: string | null;
  note: string | null;
  /** base64 */
  payload: string | null;
  content_type: string | null;
}

export interface AsyncResponse {
  id: string;
  status: number;
  /** "" if there is none */
  payload: string;
  ct?: string;
  'max-age'?: number;
  error?: string;
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
  /** Whether the resource can be observed */
  obs: boolean;
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
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface DeviceCommandFilters {
  async_id?: string;
  async_id__eq?: string;
  async_id__neq?: string;
  /** Comma-separated values */
  async_id__in?: string;
  /** Comma-separated values */
  async_id__nin?: string;
  device_id?: string;
  device_id__eq?: string;
  device_id__neq?: string;
  /** Comma-separated values */
  device_id__in?: string;
  /** Comma-separated values */
  device_id__nin?: string;
  state?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  state__eq?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  state__neq?: 'waiting' | 'executing' | 'succeeded' | 'failed' | 'expired' | 'cancelled';
  /** Comma-separated values */
  state__in?: string;
  /** Comma-separated values */
  state__nin?: string;
}

export interface ObjectModelFilters {
  object_id?: number;
  object_id__eq?: number;
  object_id__neq?: number;
  /** Comma-separated values */
  object_id__in?: string;
  /** Comma-separated values */
  object_id__nin?: string;
  object_id__lte?: number;
  object_id__gte?: number;
  name?: string;
  name__eq?: string;
  name__neq?: string;
  /** Comma-separated values */
  name__in?: string;
  /** Comma-separated values */
  name__nin?: string;
  version?: string;
  version__eq?: string;
  version__neq?: string;
  /** Comma-separated values */
  version__in?: string;
  /** Comma-separated values */
  version__nin?: string;
}

export interface DeviceEcho {
  object: 'device-echo';
  device_id: string;
  endpoint_name: string;
  /** When this response was created */
  created_at: string;
  /** Last registration event */
  updated_at?: string;
  last_reported_at?: string;
  last_desired_at?: string;
  /** Size of the snapshot in the database, without indexes */
  stored_bytes: number;
  resources: DeviceEchoResource[];
}

export interface DeviceEchoResource {
  resource_path: string;
  /** Of the resource, if its object is known */
  name?: string;
  /** Of the resource, if its object is known: float, string … */
  type?: string;
  /** True when any application has a confirmed subscription that covers the path */
  subscribed: boolean;
  reported?: {
    /** base64 */
    value: string;
    /** The value in the type of the resource; for a resource with several instances, one value per instance id. Absent for opaque values and if the type is unknown */
    decoded?: string | number | boolean | Record<string, string | number | boolean>;
    content_type: string;
    /** When the device measured the value, if it reported a time; otherwise when the value arrived */
    reported_at: string;
    /** reported_at + max-age */
    expires_at: string;
  };
  desired?: {
    /** base64 */
    value: string;
    /** The value in the type of the resource; for a resource with several instances, one value per instance id. Absent for opaque values and if the type is unknown */
    decoded?: string | number | boolean | Record<string, string | number | boolean>;
    /** 0 pending, 1 success, 2 failure */
    status: number;
    /** When the command was sent */
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
  /** What writes it: a service, or the update client on the device */
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
  /** Comma-separated values */
  date_time__in?: string;
  /** Comma-separated values */
  date_time__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  date_time__gte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__eq?: string;
  /** Comma-separated values */
  created_at__in?: string;
  /** Comma-separated values */
  created_at__nin?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__lte?: string;
  /** RFC 3339, or compact as 20240101T000000Z */
  created_at__gte?: string;
  id?: string;
  id__eq?: string;
  id__neq?: string;
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  device_log_id?: string;
  device_log_id__eq?: string;
  device_log_id__neq?: string;
  /** Comma-separated values */
  device_log_id__in?: string;
  /** Comma-separated values */
  device_log_id__nin?: string;
  device_id?: string;
  device_id__eq?: string;
  device_id__neq?: string;
  /** Comma-separated values */
  device_id__in?: string;
  /** Comma-separated values */
  device_id__nin?: string;
  group_id?: string;
  group_id__eq?: string;
  group_id__neq?: string;
  /** Comma-separated values */
  group_id__in?: string;
  /** Comma-separated values */
  group_id__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Comma-separated values */
  description__in?: string;
  /** Comma-separated values */
  description__nin?: string;
  event_type?: string;
  event_type__eq?: string;
  event_type__neq?: string;
  /** Comma-separated values */
  event_type__in?: string;
  /** Comma-separated values */
  event_type__nin?: string;
  event_code?: string;
  event_code__eq?: string;
  event_code__neq?: string;
  /** Comma-separated values */
  event_code__in?: string;
  /** Comma-separated values */
  event_code__nin?: string;
  event_type_category?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  event_type_category__eq?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  event_type_category__neq?:
    'FAIL_CLIENT' | 'FAIL_MANIFEST' | 'FAIL_NETWORK' | 'FAIL_SERVICE' | 'INFO' | 'SKIPPED' | 'SUCCESS';
  /** Comma-separated values */
  event_type_category__in?: string;
  /** Comma-separated values */
  event_type_category__nin?: string;
  event_type_description?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__eq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__neq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  /** Comma-separated values */
  event_type_description__in?: string;
  /** Comma-separated values */
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
  /** Comma-separated values */
  id__in?: string;
  /** Comma-separated values */
  id__nin?: string;
  event_type?: string;
  event_type__eq?: string;
  event_type__neq?: string;
  /** Comma-separated values */
  event_type__in?: string;
  /** Comma-separated values */
  event_type__nin?: string;
  event_type_category?: string;
  event_type_category__eq?: string;
  event_type_category__neq?: string;
  /** Comma-separated values */
  event_type_category__in?: string;
  /** Comma-separated values */
  event_type_category__nin?: string;
  event_type_description?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__eq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  event_type_description__neq?: 'SUCCESS' | 'FAIL' | 'SKIPPED' | 'INFO';
  /** Comma-separated values */
  event_type_description__in?: string;
  /** Comma-separated values */
  event_type_description__nin?: string;
  source?: 'service' | 'client';
  source__eq?: 'service' | 'client';
  source__neq?: 'service' | 'client';
  /** Comma-separated values */
  source__in?: string;
  /** Comma-separated values */
  source__nin?: string;
  description?: string;
  description__eq?: string;
  description__neq?: string;
  /** Comma-separated values */
  description__in?: string;
  /** Comma-separated values */
  description__nin?: string;
}

export interface ChannelKind {
  delivery_mechanism: 'CALLBACK' | 'WEB_SOCKET' | 'LONG_POLLING';
}

export interface CallbackChannel {
  url: string;
  /** Header values are masked */
  headers: Record<string, string>;
  serialization: ChannelSerialization;
  /** Number of queued events; -1 if unknown */
  queue_size: number;
  /** Size of the queued events, limited to 50 MB */
  queue_bytes: number;
  /** When the oldest queued event was queued */
  oldest: string | null;
  /** Events dropped undelivered since the channel was created, by reason */
  dropped: {
    size: number;
    age: number;
    failed: number;
  };
  /** Number of consecutive failed deliveries */
  failures: number;
  failing_since: string | null;
  /** Why delivery is paused */
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
  /** Number of queued events; -1 if unknown */
  queue_size: number;
  /** Size of the queued events, limited to 50 MB */
  queue_bytes: number;
  /** When the oldest queued event was queued */
  oldest: string | null;
  /** Events dropped undelivered since the channel was created, by reason */
  dropped: {
    size: number;
    age: number;
    failed: number;
  };
}

export interface CreatedSigningSecret {
  id: string;
  /** Only this response contains it */
  secret: string;
  created_at: string;
}

export interface SigningSecretList {
  object: 'list';
  data: SigningSecret[];
  /** Page size */
  limit: number;
  /** `after` of the request */
  after: string | null;
  order: 'ASC' | 'DESC';
  /** More items follow: repeat the request with the id of the last item as `after` */
  has_more: boolean;
  /** Present with include=total_count */
  total_count?: number;
}

export interface SigningSecret {
  id: string;
  created_at: string;
}

export interface NotificationMessage {
  notifications?: {
    /** Device id, or the endpoint name with use_endpoint_name */
    ep: string;
    path: string;
    /** Media type */
    ct: string;
    /** Bytes as the device sent them */
    payload: string;
    /** Seconds */
    'max-age': number;
    /** With include_uid: the same on every delivery of the item */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
    timestamp?: number;
    /** With include_original_ep: the endpoint name */
    'original-ep'?: string;
  }[];
  registrations?: {
    /** Device id, or the endpoint name with use_endpoint_name */
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
    /** With include_uid: the same on every delivery of the item */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
    timestamp?: number;
    /** The endpoint name */
    'original-ep'?: string;
  }[];
  'reg-updates'?: {
    /** Device id, or the endpoint name with use_endpoint_name */
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
    /** With include_uid: the same on every delivery of the item */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
    timestamp?: number;
    /** The endpoint name */
    'original-ep'?: string;
  }[];
  /** Ids, or objects with deregistrations_as_object */
  'de-registrations'?: (
    | string
    | {
        /** Device id, or the endpoint name with use_endpoint_name */
        ep: string;
        /** With include_uid: the same on every delivery of the item */
        uid?: string;
        /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
        timestamp?: number;
        /** With include_original_ep: the endpoint name */
        'original-ep'?: string;
      }
  )[];
  /** Ids, or objects with deregistrations_as_object */
  'registrations-expired'?: (
    | string
    | {
        /** Device id, or the endpoint name with use_endpoint_name */
        ep: string;
        /** With include_uid: the same on every delivery of the item */
        uid?: string;
        /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
        timestamp?: number;
        /** With include_original_ep: the endpoint name */
        'original-ep'?: string;
      }
  )[];
  'async-responses'?: {
    id: string;
    status: number;
    /** "" if there is none */
    payload: string;
    ct?: string;
    'max-age'?: number;
    error?: string;
    /** With include_uid: the same on every delivery of the item */
    uid?: string;
    /** With include_timestamp, in ms since the epoch: when the device measured the value, if it reported a time; otherwise when the event was queued */
    timestamp?: number;
    /** With include_original_ep: the endpoint name */
    'original-ep'?: string;
  }[];
}

export interface PullChannel {
  serialization: ChannelSerialization;
  /** Number of queued events; -1 if unknown */
  queue_size: number;
  /** Size of the queued events, limited to 50 MB */
  queue_bytes: number;
  /** When the oldest queued event was queued */
  oldest: string | null;
  /** Events dropped undelivered since the channel was created, by reason */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Only entries before this time */
        before?: string;
        /** Number of entries to return, newest first: 1 to 200, default 50 */
        limit?: number;
        uid?: string;
        /** Device id or endpoint name */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
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
  /** List the credentials of a device */
  'GET /v3/devices/{id}/credentials': {
    input: {
      path: {
        id: string;
      };
      query?: DeviceCredentialFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
  /** List device groups */
  'GET /v3/device-groups': {
    input: {
      query?: DeviceGroupFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceList;
  };
  /** List saved queries */
  'GET /v3/device-queries': {
    input: {
      query?: DeviceQueryFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
        after?: string;
        /** Size of a page: 2 to 1000; values outside are moved to the nearest bound */
        limit?: number;
      };
    };
    answer: DeviceList;
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
  /** List the suspension categories */
  'GET /v3/device-block-categories': {
    input: {
      query?: DeviceBlockCategoryFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
  /** List the keys that have subscriptions */
  'GET /v3/key-subscriptions': {
    input: {
      query?: {
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
  /** List commands */
  'GET /v3/device-requests': {
    input: {
      query?: DeviceCommandFilters & {
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
  /** Send a command to a device */
  'POST /v2/device-requests/{deviceId}': {
    input: {
      path: {
        deviceId: string;
      };
      query: {
        /** Client-chosen id, echoed in the result. Repeating the same command for the same device while the first is pending does not send it again; afterwards it is a new command */
        'async-id': string;
        /** Extra attempts; default 0, for devices in queue mode 2 */
        retry?: number;
        /** How long it may wait; default 7200, for devices in queue mode 259200 */
        'expiry-seconds'?: number;
        /** Seconds to wait for the result: the response contains it when the device answers in time. The channel receives it as well */
        wait?: number;
      };
      header?: {
        /** Chosen by the caller, for example a UUID: the request is carried out once, however often it is sent with this key within 24 hours */
        'Idempotency-Key'?: string;
      };
      body: {
        /** FETCH and IPATCH read and write several paths in one request: uri is `/`, and a SenML payload names the paths */
        method: 'GET' | 'PUT' | 'POST' | 'DELETE' | 'FETCH' | 'IPATCH';
        /** `/<object>/<instance>/<resource>`, with write attributes as its query */
        uri: string;
        /** With FETCH: subscribes to the paths in the payload, which the device then reports together. Requires the permission `subscriptions` as well */
        observe?: boolean;
        /** Media type requested */
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
        /** Return only a cached value; never contact the device */
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
        /** Return only a cached value; never contact the device */
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
        /** Return only a cached value; never contact the device */
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
        /** Return only a cached value; never contact the device */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Filters in one parameter, URL-encoded: `state%3Dregistered%26name__neq%3Da`. Decoded, `+` is a plus and `%20` a space. When the parameter is repeated, all filters must match */
        filter?: string;
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Read-only: accepted only with its current value */
        queue_size?: number | null;
        /** Read-only: accepted only with its current value */
        queue_bytes?: number | null;
        /** Read-only: accepted only with its current value */
        oldest?: string | null;
        /** Read-only: accepted only with its current value */
        dropped?: {
          size: number;
          age: number;
          failed: number;
        } | null;
        /** Read-only: accepted only with its current value */
        failures?: number | null;
        /** Read-only: accepted only with its current value */
        failing_since?: string | null;
        /** Read-only: accepted only with its current value */
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
        /** Read-only: accepted only with its current value */
        status?: 'connected' | 'disconnected' | null;
        /** Read-only: accepted only with its current value */
        queue_size?: number | null;
        /** Read-only: accepted only with its current value */
        queue_bytes?: number | null;
        /** Read-only: accepted only with its current value */
        oldest?: string | null;
        /** Read-only: accepted only with its current value */
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
        /** `total_count` adds the number of items on all pages */
        include?: string;
        order?: 'ASC' | 'DESC';
        /** Id of the last item of the previous page; the item may have been deleted since */
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
        /** Number of the last answer received, as in its Link header (rel="next"); 0 if none. Answers after it are delivered again. If omitted, the poll confirms the last answer that was sent */
        after?: string;
        /** Answer immediately, without waiting for events */
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
        /** Read-only: accepted only with its current value */
        queue_size?: number | null;
        /** Read-only: accepted only with its current value */
        queue_bytes?: number | null;
        /** Read-only: accepted only with its current value */
        oldest?: string | null;
        /** Read-only: accepted only with its current value */
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
