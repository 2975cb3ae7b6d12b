import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Resources of the Server object; null: not written to the device. */
const columns = [
  ['disable_timeout_seconds', 'integer'],
  ['initial_registration_delay_seconds', 'integer'],
  ['bootstrap_on_registration_failure', 'boolean'],
  ['communication_retry_count', 'integer'],
  ['communication_retry_seconds', 'integer'],
  ['communication_sequence_delay_seconds', 'integer'],
  ['communication_sequence_retry_count', 'integer'],
  ['preferred_transport', 'text'],
  ['mute_send', 'boolean'],
  ['confirmable_notifications', 'boolean'],
] as const;

export class ServerSettings1796526000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const added = columns.map(([name, type]) => `ADD COLUMN ${name} ${type}`);
    await runner.query(`ALTER TABLE bootstrap_profiles ${added.join(', ')}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const dropped = columns.map(([name]) => `DROP COLUMN ${name}`);
    await runner.query(`ALTER TABLE bootstrap_profiles ${dropped.join(', ')}`);
  }
}
