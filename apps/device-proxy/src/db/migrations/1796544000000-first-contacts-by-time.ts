import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The newest first contacts of an account, which may not be in the directory yet. */
export class FirstContactsByTime1796544000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX IF NOT EXISTS first_contacts_by_time ON first_contacts (account_id, created_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX first_contacts_by_time');
  }
}
