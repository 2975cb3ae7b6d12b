import { sqlMigration } from '@lanyard/service';

export class Radio1796169600000 extends sqlMigration({
  up: 'ALTER TABLE devices ADD COLUMN coap_ack_timeout_ms integer, ADD COLUMN coap_block_bytes integer',
  down: 'ALTER TABLE devices DROP COLUMN coap_ack_timeout_ms, DROP COLUMN coap_block_bytes',
}) {}
