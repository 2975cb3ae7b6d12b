import type { MigrationInterface, QueryRunner } from 'typeorm';

/** With which secret a callback was registered, what was heard of its key since, and whether that stopped it. */
export class ChannelStanding1732323600000 implements MigrationInterface {
  readonly name = 'ChannelStanding1732323600000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dispatcher.channels
        ADD COLUMN registered_with text,
        ADD COLUMN key_seen jsonb,
        ADD COLUMN stopped text CHECK (stopped IN ('key_reset', 'key_revoked')),
        ADD COLUMN stopped_at timestamptz(3),
        ADD CHECK ((stopped IS NULL) = (stopped_at IS NULL))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE dispatcher.channels
        DROP COLUMN registered_with, DROP COLUMN key_seen, DROP COLUMN stopped, DROP COLUMN stopped_at`);
  }
}
