import type { MigrationInterface, QueryRunner } from 'typeorm';

/** For the lists of an account's channels. */
export class ChannelsByAccount1796439600000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX IF NOT EXISTS channels_by_account ON channels (account_id, key_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX channels_by_account');
  }
}
