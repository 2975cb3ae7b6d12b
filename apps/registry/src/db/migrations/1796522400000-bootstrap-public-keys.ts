import { sqlMigration } from '@lanyard/service';

export class BootstrapPublicKeys1796522400000 extends sqlMigration({
  up: `ALTER TABLE bootstrap_profiles ADD COLUMN credential_kind text NOT NULL DEFAULT 'psk'`,
  down: 'ALTER TABLE bootstrap_profiles DROP COLUMN credential_kind',
}) {}
