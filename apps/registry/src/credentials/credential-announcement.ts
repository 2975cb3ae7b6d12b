import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { isoTime } from '@lanyard/service';
import type { CredentialKind } from './credential-fields.js';

/** What the device-proxies need of a row of `device_credentials`. */
export interface AnnouncedRow {
  id: string;
  account_id: string;
  device_id: string;
  kind: CredentialKind;
  service: 'lwm2m' | 'bootstrap';
  provisional: boolean;
  identity: string | null;
  sealed_key: string | null;
  fingerprint: string | null;
  created_at: string;
}

export const announcedColumns = `id, account_id, device_id, kind, service, provisional, identity, sealed_key, fingerprint,
  ${isoTime('created_at')} AS created_at`;

export const announcementOf = (row: AnnouncedRow): DeviceCredentialChanged => ({
  credentialId: row.id,
  accountId: row.account_id,
  deviceId: row.device_id,
  kind: row.kind,
  service: row.service,
  ...(row.provisional && { provisional: true }),
  ...(row.identity !== null && row.sealed_key !== null && { identity: row.identity, sealedKey: row.sealed_key }),
  ...(row.fingerprint !== null && { fingerprint: row.fingerprint }),
  changedAt: row.created_at,
});
