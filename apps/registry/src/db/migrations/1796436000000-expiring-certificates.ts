import { sqlMigration } from '@lanyard/service';

export class ExpiringCertificates1796436000000 extends sqlMigration({
  up: `CREATE INDEX IF NOT EXISTS device_credentials_by_expiry ON device_credentials (account_id, expires_at) WHERE expires_at IS NOT NULL`,
  down: 'DROP INDEX device_credentials_by_expiry',
}) {}
