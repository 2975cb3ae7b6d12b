import { sqlMigration } from '@lanyard/service';

export class HandshakeTimer1796524200000 extends sqlMigration({
  up: 'ALTER TABLE devices ADD COLUMN dtls_handshake_timer_ms integer',
  down: 'ALTER TABLE devices DROP COLUMN dtls_handshake_timer_ms',
}) {}
