import type { MigrationInterface, QueryRunner } from 'typeorm';

export class HandshakeTimer1796524200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE devices ADD COLUMN dtls_handshake_timer_ms integer');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE devices DROP COLUMN dtls_handshake_timer_ms');
  }
}
