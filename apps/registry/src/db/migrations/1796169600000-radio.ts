import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Radio1796169600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE devices ADD COLUMN coap_ack_timeout_ms integer, ADD COLUMN coap_block_bytes integer',
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE devices DROP COLUMN coap_ack_timeout_ms, DROP COLUMN coap_block_bytes');
  }
}
